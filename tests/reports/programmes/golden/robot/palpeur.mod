MODULE palpeur
  ! Made by Palpeur VERSION
  ! job: two points
  ! job sha256: 0a5e51237b8d955cb0c4a37110f890c705389b6e13c2aa69e7a65602949eb4e5
  ! feasible: yes, as far as was checked
  ! proven: positions, speeds, accelerations within the limits of job and robot
  ! proven: clearance of 792.42 mm, self-clearance only
  ! NOT CHECKED: part geometry
  ! NOT CHECKED: torque limits
  ! deg and s
  ! rax_6 has no joint in the job and is driven to 0
  ! 59 points, 0.709505 s
  ! proven is the plan's motion: the joints at these instants, and between them;
  !   a controller that joins them by straight lines
  !   keeps every joint within 0.01 deg of it
  ! zero and sign of every joint are those of the robot file of the job;
  !   compare them with the controller's before the first run
  ! rax_1 is q1
  ! rax_2 is q2
  ! rax_3 is q3
  ! rax_4 is q4
  ! rax_5 is q5
  ! zones round the corners between them (z0); the controller may be slower than
  !   the times given where it meets its own limits
  PROC palpeur_run()
    ! the way to the first point is not proven: drive there by hand first
    MoveAbsJ [[90.00000,89.80868,-8.46353,0.00000,-81.34515,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, v5, fine, tool0;
    MoveAbsJ [[90.00000,89.80560,-8.47396,0.00000,-81.33164,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.78873,-8.53073,0.00000,-81.25800,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.75519,-8.64176,0.00000,-81.11343,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007287, z0, tool0;
    MoveAbsJ [[90.00000,89.71044,-8.78636,0.00000,-80.92408,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.66474,-8.93008,0.00000,-80.73466,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.62919,-9.03926,0.00000,-80.58993,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.61086,-9.09468,0.00000,-80.51618,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.60748,-9.10483,0.00000,-80.50265,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, fine, tool0;
    WaitTime 0.100000;
    MoveAbsJ [[90.00000,89.61086,-9.09468,0.00000,-80.51618,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007287, z0, tool0;
    MoveAbsJ [[90.00000,89.62919,-9.03926,0.00000,-80.58993,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.66474,-8.93008,0.00000,-80.73466,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.71044,-8.78636,0.00000,-80.92408,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.75519,-8.64176,0.00000,-81.11343,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.78873,-8.53073,0.00000,-81.25800,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007287, z0, tool0;
    MoveAbsJ [[90.00000,89.80560,-8.47396,0.00000,-81.33164,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, z0, tool0;
    MoveAbsJ [[90.00000,89.80868,-8.46353,0.00000,-81.34515,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007286, fine, tool0;
    MoveAbsJ [[89.99821,89.80142,-8.45668,-0.01106,-81.36306,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[89.99286,89.77962,-8.43614,-0.04424,-81.41677,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[89.98392,89.74328,-8.40190,-0.09955,-81.50629,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[89.97142,89.69242,-8.35397,-0.17697,-81.63163,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[89.95535,89.62702,-8.29234,-0.27652,-81.79277,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[89.93570,89.54709,-8.21702,-0.39819,-81.98973,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[89.91248,89.45263,-8.12800,-0.54198,-82.22249,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[89.88569,89.34363,-8.02528,-0.70790,-82.49107,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[89.60332,88.19494,-6.94278,-2.45644,-85.32154,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.049401, z0, tool0;
    MoveAbsJ [[89.32096,87.04624,-5.86028,-4.20499,-88.15201,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.049401, z0, tool0;
    MoveAbsJ [[89.03860,85.89754,-4.77778,-5.95353,-90.98248,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.049401, z0, tool0;
    MoveAbsJ [[88.75624,84.74885,-3.69528,-7.70208,-93.81295,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.049401, z0, tool0;
    MoveAbsJ [[88.72944,84.63985,-3.59256,-7.86799,-94.08153,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[88.70622,84.54539,-3.50354,-8.01178,-94.31429,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[88.68657,84.46546,-3.42822,-8.13345,-94.51125,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[88.67050,84.40006,-3.36659,-8.23300,-94.67239,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[88.65800,84.34920,-3.31866,-8.31043,-94.79773,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[88.64907,84.31286,-3.28442,-8.36573,-94.88725,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[88.64371,84.29106,-3.26387,-8.39891,-94.94096,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, z0, tool0;
    MoveAbsJ [[88.64192,84.28380,-3.25703,-8.40997,-94.95887,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.005000, fine, tool0;
    MoveAbsJ [[88.64007,84.28555,-3.27188,-8.41025,-94.94564,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007208, z0, tool0;
    MoveAbsJ [[88.63630,84.28910,-3.30215,-8.41082,-94.91867,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.003604, z0, tool0;
    MoveAbsJ [[88.63000,84.29500,-3.35275,-8.41178,-94.87353,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.003603, z0, tool0;
    MoveAbsJ [[88.61020,84.31315,-3.51110,-8.41482,-94.73198,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007208, z0, tool0;
    MoveAbsJ [[88.58425,84.33612,-3.71766,-8.41889,-94.54662,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007208, z0, tool0;
    MoveAbsJ [[88.55826,84.35817,-3.92333,-8.42305,-94.36123,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007207, z0, tool0;
    MoveAbsJ [[88.53838,84.37440,-4.07983,-8.42628,-94.21960,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007208, z0, tool0;
    MoveAbsJ [[88.53204,84.37946,-4.12962,-8.42733,-94.17444,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.003604, z0, tool0;
    MoveAbsJ [[88.52825,84.38246,-4.15935,-8.42796,-94.14745,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.003604, z0, tool0;
    MoveAbsJ [[88.52639,84.38393,-4.17394,-8.42826,-94.13420,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007207, fine, tool0;
    WaitTime 0.100000;
    MoveAbsJ [[88.52825,84.38246,-4.15935,-8.42796,-94.14745,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007208, z0, tool0;
    MoveAbsJ [[88.53204,84.37946,-4.12962,-8.42733,-94.17444,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.003604, z0, tool0;
    MoveAbsJ [[88.53838,84.37440,-4.07983,-8.42628,-94.21960,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.003604, z0, tool0;
    MoveAbsJ [[88.55826,84.35817,-3.92333,-8.42305,-94.36123,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007207, z0, tool0;
    MoveAbsJ [[88.58425,84.33612,-3.71766,-8.41889,-94.54662,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007208, z0, tool0;
    MoveAbsJ [[88.61020,84.31315,-3.51110,-8.41482,-94.73198,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007208, z0, tool0;
    MoveAbsJ [[88.63000,84.29500,-3.35275,-8.41178,-94.87353,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007207, z0, tool0;
    MoveAbsJ [[88.63630,84.28910,-3.30215,-8.41082,-94.91867,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.003604, z0, tool0;
    MoveAbsJ [[88.64007,84.28555,-3.27188,-8.41025,-94.94564,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.003604, z0, tool0;
    MoveAbsJ [[88.64192,84.28380,-3.25703,-8.40997,-94.95887,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]]\NoEOffs, vmax\T:=0.007207, fine, tool0;
  ENDPROC
ENDMODULE

MODULE palpeur
  ! Made by Palpeur VERSION
  ! job: two points
  ! job sha256: 0a5e51237b8d955cb0c4a37110f890c705389b6e13c2aa69e7a65602949eb4e5
  ! feasible: yes, as far as was checked
  ! proven: positions, speeds, accelerations within the limits of job and robot
  ! proven: clearance of 792.42 mm, self-clearance only
  ! NOT CHECKED: part geometry
  ! NOT CHECKED: torque limits
  ! 2 touches; searches at 5 mm/s; overrun after a trigger at most 0.013 mm
  ! axis 1 = +q1 +0 deg
  ! axis 2 = +q2 +0 deg
  ! axis 3 = +q3 +0 deg
  ! axis 4 = +q4 +0 deg
  ! axis 5 = +q5 +0 deg
  ! home: that of [controller]; the way from there to the first clearance point
  !   and back is proven like a travel, at low speed
  ! CERTIFIED: the path, misses included: straight lines of the ball, the stylus held, and
  !   straight joint moves between; NOT the times, which the controller decides
  ! probe: di1 is 1 while it is deflected
  ! hits: HOME:/palpeur_hits.csv, which `palpeur evaluate` reads
  ! the joints are external axes of one mechanical unit without tool point, which
  !   SearchExtJ and MoveExtJ move: eax_a is axis 1, and so on
  ! the search is a row of straight joint moves, each to a stop, that keep the ball
  !   within 1 um of its line and at touch speed or below
  ! THE CONTROLLER decides accelerations, and how fast \Stop stops after the trigger;
  !   the place of the hit is the one that it latched when it saw the input
  ! travel: \T gives the times of the plan; the controller may be slower where it meets
  !   its own limits; corners of a detour are stop points
  ! num has 24 bits: axes are known to about 0.00001 deg, whatever digits are printed
  LOCAL CONST jointtarget jHome:=[[0,0,0,0,0,0],[90.000000000,85.000000000,5.000000000,0.000000000,0.000000000,9E9]];
  LOCAL CONST jointtarget jclear_P1:=[[0,0,0,0,0,0],[90.000000000,89.808682314,-8.463531987,0.000000000,-81.345150327,9E9]];
  LOCAL CONST jointtarget jback_P1:=[[0,0,0,0,0,0],[90.000000000,89.645467906,-8.989529010,0.000000000,-80.655938896,9E9]];
  LOCAL CONST jointtarget jin_P1{1}:=[[[0,0,0,0,0,0],[90.000000000,89.654866775,-8.960612993,0.000000000,-80.694253782,9E9]]];
  LOCAL CONST jointtarget jline_P1{3}:=[[[0,0,0,0,0,0],[90.000000000,89.639180311,-9.008786349,0.000000000,-80.630393962,9E9]],[[0,0,0,0,0,0],[90.000000000,89.623385418,-9.056859671,0.000000000,-80.566525747,9E9]],[[0,0,0,0,0,0],[90.000000000,89.607482068,-9.104832952,0.000000000,-80.502649116,9E9]]];
  LOCAL CONST speeddata vline_P1{3}:=[[5000,5000,5000,0.191562],[5000,5000,5000,0.191588],[5000,5000,5000,0.191613]];
  LOCAL CONST jointtarget jout_P1{1}:=[[[0,0,0,0,0,0],[90.000000000,89.808682314,-8.463531987,0.000000000,-81.345150327,9E9]]];
  LOCAL CONST speeddata vback_P1:=[5000,5000,5000,0.191372];
  LOCAL CONST jointtarget jclear_P2:=[[0,0,0,0,0,0],[88.641920744,84.283798507,-3.257026888,-8.409973466,-94.958869398,9E9]];
  LOCAL CONST jointtarget jback_P2:=[[0,0,0,0,0,0],[88.547449927,84.367063241,-4.008517968,-8.424800339,-94.284194405,9E9]];
  LOCAL CONST jointtarget jin_P2{1}:=[[[0,0,0,0,0,0],[88.552711707,84.362753910,-3.967074005,-8.423943985,-94.321688382,9E9]]];
  LOCAL CONST jointtarget jline_P2{3}:=[[[0,0,0,0,0,0],[88.543941196,84.369915426,-4.036127364,-8.425373377,-94.259197561,9E9]],[[0,0,0,0,0,0],[88.535166295,84.376973421,-4.105081196,-8.426813454,-94.196702400,9E9]],[[0,0,0,0,0,0],[88.526386999,84.383927871,-4.173935576,-8.428264220,-94.134202804,9E9]]];
  LOCAL CONST speeddata vline_P2{3}:=[[5000,5000,5000,0.207149],[5000,5000,5000,0.206850],[5000,5000,5000,0.206552]];
  LOCAL CONST jointtarget jout_P2{1}:=[[[0,0,0,0,0,0],[88.641920744,84.283798507,-3.257026888,-8.409973466,-94.958869398,9E9]]];
  LOCAL CONST speeddata vback_P2:=[5000,5000,5000,0.205735];
  LOCAL VAR bool touched:=FALSE;
  LOCAL VAR bool missed:=FALSE;
  LOCAL VAR iodev hits;
  PROC palpeur_run()
    IF NOT palpeur_near(jHome,0.500000,0.500000) THEN
      TPWrite "not at home: drive there by hand";
      EXIT;
    ENDIF
    VelSet 100.000,5000;
    palpeur_open;
    MoveExtJ jclear_P1,v50,fine;
    palpeur_touch "P1",jclear_P1,jback_P1,jin_P1,jline_P1,jout_P1,vline_P1,vback_P1,0.051084,0.052718,0.100000;
    MoveExtJ jclear_P2,vmax\T:=0.277604,fine;
    palpeur_touch "P2",jclear_P2,jback_P2,jin_P2,jline_P2,jout_P2,vline_P2,vback_P2,0.050550,0.052153,0.100000;
    MoveExtJ jHome,v50,fine;
    Close hits;
  ENDPROC
  PROC palpeur_touch(string name,jointtarget clear,jointtarget back,jointtarget way_in{*},jointtarget line{*},jointtarget way_out{*},speeddata line_speed{*},speeddata back_speed,num time_in,num time_out,num rest)
    VAR jointtarget hit;
    IF NOT palpeur_near(clear,0.01,0.01) THEN
      TPWrite "not at the clearance point of "+name;
      EXIT;
    ENDIF
    FOR i FROM 1 TO Dim(way_in,1) DO
      MoveExtJ way_in{i},vmax\T:=time_in/Dim(way_in,1),fine;
    ENDFOR
    touched:=FALSE;
    FOR i FROM 1 TO Dim(line,1) DO
      IF NOT touched THEN
        missed:=FALSE;
        SearchExtJ \Stop,di1,hit,line{i},line_speed{i};
        touched:=NOT missed;
      ENDIF
    ENDFOR
    IF touched palpeur_log name,hit;
    WaitTime rest;
    MoveExtJ back,back_speed,fine;
    FOR i FROM 1 TO Dim(way_out,1) DO
      MoveExtJ way_out{i},vmax\T:=time_out/Dim(way_out,1),fine;
    ENDFOR
    IF missed THEN
      Write hits,"# MISSED "+name;
      Close hits;
      TPWrite "no hit at "+name;
      EXIT;
    ENDIF
  ERROR
    ! no hit to the end of the search, or the probe was deflected before it
    IF ERRNO=ERR_WHLSEARCH OR ERRNO=ERR_SIGSUPSEARCH THEN
      missed:=TRUE;
      TRYNEXT;
    ENDIF
    RAISE;
  ENDPROC
  ! whether the axes are within limits in deg, or mm where they slide, of a posture
  FUNC bool palpeur_near(jointtarget there,num angle,num length)
    VAR jointtarget here;
    here:=CJointT();
    IF Abs(here.extax.eax_a-there.extax.eax_a)>angle RETURN FALSE;
    IF Abs(here.extax.eax_b-there.extax.eax_b)>angle RETURN FALSE;
    IF Abs(here.extax.eax_c-there.extax.eax_c)>angle RETURN FALSE;
    IF Abs(here.extax.eax_d-there.extax.eax_d)>angle RETURN FALSE;
    IF Abs(here.extax.eax_e-there.extax.eax_e)>angle RETURN FALSE;
    RETURN TRUE;
  ENDFUNC
  PROC palpeur_open()
    Open "HOME:"\File:="palpeur_hits.csv",hits\Write;
    Write hits,"# Palpeur hits: joints at the trigger, zero and sign of the robot file";
    Write hits,"# base frame, centres of the ball by the forward model, not compensated";
    Write hits,"# job sha256 0a5e51237b8d955cb0c4a37110f890c705389b6e13c2aa69e7a65602949eb4e5";
    Write hits,"name,q1_deg,q2_deg,q3_deg,q4_deg,q5_deg";
  ENDPROC
  PROC palpeur_log(string name,jointtarget hit)
    Write hits,name\NoNewLine;
    Write hits,","+DnumToStr((NumToDnum(hit.extax.eax_a)-(0.000000000)),9)\NoNewLine;
    Write hits,","+DnumToStr((NumToDnum(hit.extax.eax_b)-(0.000000000)),9)\NoNewLine;
    Write hits,","+DnumToStr((NumToDnum(hit.extax.eax_c)-(0.000000000)),9)\NoNewLine;
    Write hits,","+DnumToStr((NumToDnum(hit.extax.eax_d)-(0.000000000)),9)\NoNewLine;
    Write hits,","+DnumToStr((NumToDnum(hit.extax.eax_e)-(0.000000000)),9)\NoNewLine;
    Write hits,"";
  ENDPROC
ENDMODULE

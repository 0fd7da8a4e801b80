/PROG  PALPEUR
/ATTR
OWNER		= MNEDITOR;
COMMENT		= "PALPEUR";
PROG_SIZE	= 0;
CREATE		= DATE 00-01-01  TIME 00:00:00;
MODIFIED	= DATE 00-01-01  TIME 00:00:00;
FILE_NAME	= ;
VERSION		= 0;
LINE_COUNT	= 128;
MEMORY_SIZE	= 0;
PROTECT		= READ_WRITE;
TCD:  STACK_SIZE	= 0,
      TASK_PRIORITY	= 50,
      TIME_SLICE	= 0,
      BUSY_LAMP_OFF	= 0,
      ABORT_REQUEST	= 0,
      PAUSE_REQUEST	= 0;
DEFAULT_GROUP	= 1,*,*,*,*;
CONTROL_CODE	= 00000000 00000000;
/MN
   1:  !Made by Palpeur VERSION ;
   2:  !job: two points ;
   3:  !job sha256: 0a5e51237b8d955cb0c4 ;
   4:  !a37110f890c705389b6e13c2aa69e7a6 ;
   5:  !5602949eb4e5 ;
   6:  !feasible: yes, as far as was ;
   7:  !checked ;
   8:  !proven: positions, speeds, ;
   9:  !accelerations within the limits ;
  10:  !of job and robot ;
  11:  !proven: clearance of 792.42 mm, ;
  12:  !self-clearance only ;
  13:  !NOT CHECKED: part geometry ;
  14:  !NOT CHECKED: torque limits ;
  15:  !2 touches; searches at 5 mm/s; ;
  16:  !overrun after a trigger at most ;
  17:  !0.013 mm ;
  18:  !axis 1 = +q1 +0 deg ;
  19:  !axis 2 = +q2 +0 deg ;
  20:  !axis 3 = +q3 +0 deg ;
  21:  !axis 4 = +q4 +0 deg ;
  22:  !axis 5 = +q5 +0 deg ;
  23:  !home: that of [controller]; the ;
  24:  !way from there to the first ;
  25:  !clearance point ;
  26:  !  and back is proven like a ;
  27:  !travel, at low speed ;
  28:  !CERTIFIED: the path, misses ;
  29:  !included: straight lines of the ;
  30:  !ball, the stylus held, and ;
  31:  !  straight joint moves between; ;
  32:  !NOT the times, which the ;
  33:  !controller decides ;
  34:  !axes are counted one by one ;
  35:  !here: most FANUC arms count axis ;
  36:  !3 from the horizontal; ;
  37:  !  if this one does, say so by ;
  38:  !coupled in [controller] ;
  39:  !refuses to start from farther ;
  40:  !than 0.5 deg from home ;
  41:  !probe: DI[1], on while it is ;
  42:  !deflected ;
  43:  !THE CONTROLLER DECIDES: speed ;
  44:  !and acceleration along each move ;
  45:  !within speed or time given; ;
  46:  !lines are joint moves: within 1 ;
  47:  !um of straight in a search, 0.1 ;
  48:  !mm elsewhere, at half the touch ;
  49:  !speed on average; how it slows ;
  50:  !down after a skip; all moves end ;
  51:  !in an exact stop ;
  52:  !Skip jumps to its label where ;
  53:  !the input stayed off: that is ;
  54:  !the miss ;
  55:  !uses PR[91], PR[92], R[191]; ;
  56:  !keeps joints in single precision ;
  57:  !log: UD1:PALPEUR.CSV, by ;
  58:  !palplog.kl (KAREL, option R632) ;
  59:  UFRAME_NUM=0 ;
  60:  UTOOL_NUM=1 ;
  61:  OVERRIDE=100% ;
  62:  PR[91]=JPOS ;
  63:  R[191]=PR[91,1]-90.000000000 ;
  64:  IF R[191]>0.500 OR R[191]<(-0.500),JMP LBL[900] ;
  65:  R[191]=PR[91,2]-85.000000000 ;
  66:  IF R[191]>0.500 OR R[191]<(-0.500),JMP LBL[900] ;
  67:  R[191]=PR[91,3]-5.000000000 ;
  68:  IF R[191]>0.500 OR R[191]<(-0.500),JMP LBL[900] ;
  69:  R[191]=PR[91,4]-0.000000000 ;
  70:  IF R[191]>0.500 OR R[191]<(-0.500),JMP LBL[900] ;
  71:  R[191]=PR[91,5]-0.000000000 ;
  72:  IF R[191]>0.500 OR R[191]<(-0.500),JMP LBL[900] ;
  73:  IF DI[1]=ON,JMP LBL[901] ;
  74:  SKIP CONDITION DI[1]=ON ;
  75:  CALL PALPLOG(0) ;
  76:J P[1] 1000msec FINE ;
  77:J P[2] 28397msec FINE ;
  78:  !P1 ;
  79:J P[3] 69msec FINE ;
  80:  IF DI[1]=ON,JMP LBL[901] ;
  81:J P[4] 667msec FINE Skip,LBL[1003],PR[92]=JPOS ;
  82:  JMP LBL[1002] ;
  83:  LBL[1003] ;
  84:J P[5] 667msec FINE Skip,LBL[1004],PR[92]=JPOS ;
  85:  JMP LBL[1002] ;
  86:  LBL[1004] ;
  87:J P[6] 667msec FINE Skip,LBL[1001],PR[92]=JPOS ;
  88:  LBL[1002] ;
  89:  WAIT 0.10(sec) ;
  90:J P[7] 1601msec FINE ;
  91:  CALL PALPLOG(1,'P1') ;
  92:J P[2] 71msec FINE ;
  93:  !P2 ;
  94:J P[8] 278msec FINE ;
  95:J P[9] 68msec FINE ;
  96:  IF DI[1]=ON,JMP LBL[901] ;
  97:J P[10] 667msec FINE Skip,LBL[1007],PR[92]=JPOS ;
  98:  JMP LBL[1006] ;
  99:  LBL[1007] ;
 100:J P[11] 667msec FINE Skip,LBL[1008],PR[92]=JPOS ;
 101:  JMP LBL[1006] ;
 102:  LBL[1008] ;
 103:J P[12] 667msec FINE Skip,LBL[1005],PR[92]=JPOS ;
 104:  LBL[1006] ;
 105:  WAIT 0.10(sec) ;
 106:J P[13] 1601msec FINE ;
 107:  CALL PALPLOG(1,'P2') ;
 108:J P[8] 70msec FINE ;
 109:J P[1] 33.2sec FINE ;
 110:  JMP LBL[999] ;
 111:  LBL[1001] ;
 112:J P[2] 8810msec FINE ;
 113:  CALL PALPLOG(2,'P1') ;
 114:  JMP LBL[902] ;
 115:  LBL[1005] ;
 116:J P[8] 8807msec FINE ;
 117:  CALL PALPLOG(2,'P2') ;
 118:  JMP LBL[902] ;
 119:  LBL[900] ;
 120:  MESSAGE[NOT AT START POSTURE] ;
 121:  ABORT ;
 122:  LBL[901] ;
 123:  MESSAGE[PROBE IS TRIGGERED] ;
 124:  ABORT ;
 125:  LBL[902] ;
 126:  MESSAGE[NO SURFACE FOUND] ;
 127:  ABORT ;
 128:  LBL[999] ;
/POS
P[1]{
   GP1:
	UF : 0, UT : 1,	
	J1=     90.000000000 deg,	J2=     85.000000000 deg,	J3=      5.000000000 deg,
	J4=      0.000000000 deg,	J5=      0.000000000 deg
};
P[2]{
   GP1:
	UF : 0, UT : 1,	
	J1=     90.000000000 deg,	J2=     89.808682314 deg,	J3=     -8.463531987 deg,
	J4=      0.000000000 deg,	J5=    -81.345150327 deg
};
P[3]{
   GP1:
	UF : 0, UT : 1,	
	J1=     90.000000000 deg,	J2=     89.654866775 deg,	J3=     -8.960612993 deg,
	J4=      0.000000000 deg,	J5=    -80.694253782 deg
};
P[4]{
   GP1:
	UF : 0, UT : 1,	
	J1=     90.000000000 deg,	J2=     89.639180311 deg,	J3=     -9.008786349 deg,
	J4=      0.000000000 deg,	J5=    -80.630393962 deg
};
P[5]{
   GP1:
	UF : 0, UT : 1,	
	J1=     90.000000000 deg,	J2=     89.623385418 deg,	J3=     -9.056859671 deg,
	J4=      0.000000000 deg,	J5=    -80.566525747 deg
};
P[6]{
   GP1:
	UF : 0, UT : 1,	
	J1=     90.000000000 deg,	J2=     89.607482068 deg,	J3=     -9.104832952 deg,
	J4=      0.000000000 deg,	J5=    -80.502649116 deg
};
P[7]{
   GP1:
	UF : 0, UT : 1,	
	J1=     90.000000000 deg,	J2=     89.645467906 deg,	J3=     -8.989529010 deg,
	J4=      0.000000000 deg,	J5=    -80.655938896 deg
};
P[8]{
   GP1:
	UF : 0, UT : 1,	
	J1=     88.641920744 deg,	J2=     84.283798507 deg,	J3=     -3.257026888 deg,
	J4=     -8.409973466 deg,	J5=    -94.958869398 deg
};
P[9]{
   GP1:
	UF : 0, UT : 1,	
	J1=     88.552711707 deg,	J2=     84.362753910 deg,	J3=     -3.967074005 deg,
	J4=     -8.423943985 deg,	J5=    -94.321688382 deg
};
P[10]{
   GP1:
	UF : 0, UT : 1,	
	J1=     88.543941196 deg,	J2=     84.369915426 deg,	J3=     -4.036127364 deg,
	J4=     -8.425373377 deg,	J5=    -94.259197561 deg
};
P[11]{
   GP1:
	UF : 0, UT : 1,	
	J1=     88.535166295 deg,	J2=     84.376973421 deg,	J3=     -4.105081196 deg,
	J4=     -8.426813454 deg,	J5=    -94.196702400 deg
};
P[12]{
   GP1:
	UF : 0, UT : 1,	
	J1=     88.526386999 deg,	J2=     84.383927871 deg,	J3=     -4.173935576 deg,
	J4=     -8.428264220 deg,	J5=    -94.134202804 deg
};
P[13]{
   GP1:
	UF : 0, UT : 1,	
	J1=     88.547449927 deg,	J2=     84.367063241 deg,	J3=     -4.008517968 deg,
	J4=     -8.424800339 deg,	J5=    -94.284194405 deg
};
/END

import { around, down, line, picture, placed, shape } from './draw.ts';

const definitions = [
  down(
    'sky',
    [0, '#20406b'],
    [0.35, '#5f7fa6'],
    [0.62, '#f0b58d'],
    [0.8, '#ffe0b0'],
    [1, '#fff1d2'],
  ),
  around('sun', [0.5, 0.5, 0.5], [0, '#fffbe8'], [0.35, '#ffe9b0', 0.9], [1, '#ffd58a', 0]),
  down('far', [0, '#b1a6b8'], [1, '#e3c6b4']),
  down('middle', [0, '#7d84a3'], [1, '#b7a9b0']),
  down('near', [0, '#47587c'], [1, '#7d839b']),
  down('ridge', [0, '#1c2a45'], [1, '#0c1424']),
  down('snow', [0, '#fffaf2'], [1, '#ccd6ea']),
  down('mist', [0, '#fff', 0], [0.5, '#fff3dd', 0.65], [1, '#fff', 0]),
].join('');

const sky = [
  '<rect width="1200" height="800" fill="url(#sky)"/>',
  '<circle cx="850" cy="430" r="330" fill="url(#sun)"/><circle cx="850" cy="430" r="46" fill="#fffdf2"/>',
  ...[
    'M60 180 C180 160 240 196 380 172 C300 200 180 206 60 180Z',
    'M640 120 C780 96 900 138 1080 110 C960 150 780 150 640 120Z',
    'M300 268 C420 254 480 280 600 262 C520 288 400 290 300 268Z',
  ].map((d) => shape(d, '#ffe6c8', 'opacity=".5" filter="url(#blur4)"')),
].join('');

const mountains = [
  shape(
    'M0 470 L110 396 L190 440 L300 340 L420 430 L520 380 L640 446 L760 372 L880 440 L1010 360 L1110 420 L1200 380 V800 H0Z',
    'url(#far)',
  ),
  '<rect y="440" width="1200" height="120" fill="url(#mist)"/>',
  shape(
    'M0 560 L90 500 L210 546 L340 420 L430 486 L520 452 L650 560 L790 478 L910 548 L1040 446 L1200 540 V800 H0Z',
    'url(#middle)',
  ),
  shape(
    'M340 420 L390 458 L366 462 L352 484 L330 462 L306 470 L292 466Z M1040 446 L1090 474 L1064 480 L1048 500 L1024 480 L996 484Z',
    'url(#snow)',
    'opacity=".8"',
  ),
  '<rect y="530" width="1200" height="120" fill="url(#mist)"/>',
  shape(
    'M0 640 L130 590 L260 640 L420 560 L560 632 L700 600 L880 660 L1020 580 L1200 650 V800 H0Z',
    'url(#near)',
  ),
  '<rect y="610" width="1200" height="110" fill="url(#mist)" opacity=".7"/>',
].join('');

/** The ridge that the guests cross: rock, and snow on its side that the sun does not reach. */
const ridge = [
  shape(
    'M0 800 V640 L60 600 L140 622 L230 540 L300 556 L380 470 L430 486 L520 396 L566 410 L640 330 L700 372 L742 364 L820 440 L880 452 L980 560 L1060 590 L1200 700 V800Z',
    'url(#ridge)',
  ),
  shape(
    'M640 330 L700 372 L742 364 L820 440 L790 446 L756 424 L736 452 L700 410 L680 430 L662 384Z',
    'url(#snow)',
    'opacity=".95"',
  ),
  shape(
    'M520 396 L566 410 L600 372 L590 430 L556 452 L540 430 L500 470 L470 480 L430 486Z',
    'url(#snow)',
    'opacity=".7"',
  ),
  shape('M380 470 L430 486 L404 520 L372 520 L340 548 L300 556Z', 'url(#snow)', 'opacity=".55"'),
  ...[
    'M640 330 L610 470 L560 560 L540 700',
    'M700 372 L720 520 L800 640',
    'M520 396 L480 540 L420 660',
    'M380 470 L330 600 L250 700',
  ].map((d) => line(d, '#3c5078', 3, 'opacity=".5"')),
].join('');

/** Somebody who walks up the ridge. */
function walker(coat: string): string {
  return [
    line('M-7 0 L-2 -26 L6 -2', '#121a2b', 7),
    shape('M-9 -56 C-10 -62 8 -64 9 -56 L8 -24 L-8 -24Z', coat),
    shape('M-18 -56 C-20 -60 -9 -62 -8 -56 L-8 -32 L-17 -34Z', '#2c3a2f'),
    '<circle cx="2" cy="-68" r="8.500" fill="#f0c9a4"/>',
    shape('M-7 -69 C-7 -80 11 -80 11 -69Z', '#e8e8ee'),
    line('M6 -50 L18 -38', coat, 6),
    line('M18 -42 L24 4', '#d9d2c2', 2.5),
  ].join('');
}

const rope = [
  line('M437 438 C468 444 500 404 531 362 C566 350 600 330 634 290', '#ffb347', 2.5),
  placed(walker('#e4572e'), { x: 634, y: 334, scale: 0.92 }),
  placed(walker('#f2b134'), { x: 530, y: 398, scale: 0.92 }),
  placed(walker('#3f9c8f'), { x: 436, y: 482, scale: 0.92 }),
  ...[
    'M930 240 q10 -10 20 0 q10 -10 20 0',
    'M1000 280 q7 -7 14 0 q7 -7 14 0',
    'M880 300 q6 -6 12 0 q6 -6 12 0',
  ].map((d) => line(d, '#24385c', 3)),
].join('');

/** Three people on a rope, on a ridge at sunrise. */
export const ridgeWeekend = picture('A ridge at sunrise', definitions, sky, mountains, ridge, rope);

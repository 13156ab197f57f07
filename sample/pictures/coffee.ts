import { across, around, down, line, picture, placed, shadow, shape } from './draw.ts';
import { lettering } from './lettering.ts';

const definitions = [
  down('wall', [0, '#f4e9da'], [0.7, '#e7d3ba'], [1, '#d9bf9f']),
  down('table', [0, '#b98a5e'], [0.15, '#a87a50'], [1, '#7c5636']),
  across(
    'bag',
    [0, '#1d1411'],
    [0.12, '#3b2a23'],
    [0.4, '#5b4235'],
    [0.72, '#3a2922'],
    [1, '#150e0c'],
  ),
  down('seal', [0, '#6a4f41'], [1, '#3a2a22']),
  across('label', [0, '#e6d8c2'], [0.35, '#fbf4e8'], [1, '#dccbb0']),
  across('cup', [0, '#cfc6ba'], [0.25, '#fffdf9'], [0.6, '#f3ece2'], [1, '#b6aa9a']),
  around('coffee', [0.45, 0.4, 0.7], [0, '#8a5a35'], [0.6, '#6b3f22'], [1, '#4a2812']),
  around('saucer', [0.4, 0.3, 0.8], [0, '#ffffff'], [0.7, '#e9e0d4'], [1, '#c4b8a7']),
  around('bean', [0.35, 0.3, 0.8], [0, '#8b5a3a'], [0.5, '#5a3622'], [1, '#2e1a10']),
].join('');

const room = [
  '<rect width="1200" height="800" fill="url(#wall)"/>',
  shape('M-40 -40 L520 -40 L980 620 L360 620Z', '#fff', 'opacity=".28" filter="url(#blur40)"'),
  '<rect y="596" width="1200" height="204" fill="url(#table)"/>',
  ...[628, 668, 716, 770].map((y) =>
    line(`M0 ${y} C300 ${y - 8} 700 ${y + 10} 1200 ${y - 4}`, '#5d3d24', 1.5, 'opacity=".25"'),
  ),
  '<rect y="596" width="1200" height="3" fill="#fff" opacity=".25"/>',
].join('');

const bag = [
  shadow(540, 690, 230, 26, 0.5),
  shape(
    'M345 214 C352 300 330 520 342 676 Q540 706 738 676 C750 520 728 300 735 214Z',
    'url(#bag)',
  ),
  shape('M345 214 L735 214 L728 150 L352 150Z', 'url(#seal)'),
  ...[162, 174, 186, 198].map((y) => line(`M356 ${y} H724`, '#1c1310', 2, 'opacity=".45"')),
  line('M352 150 H728', '#8d6d5a', 3),
  shape('M345 214 Q540 236 735 214 L735 222 Q540 246 345 222Z', '#000', 'opacity=".25"'),
  shape(
    'M372 240 C384 360 366 520 376 660 L398 664 C388 520 404 360 396 240Z',
    '#fff',
    'opacity=".07"',
  ),
  '<circle cx="540" cy="268" r="13" fill="#241915"/><circle cx="540" cy="268" r="8" fill="#4c382d"/>',
  '<rect x="398" y="306" width="284" height="300" rx="10" fill="url(#label)"/>',
  '<rect x="410" y="318" width="260" height="276" rx="5" fill="none" stroke="#b0693a" stroke-width="2"/>',
  // A lighthouse over waves: the mark of the roastery.
  placed(
    shape('M-9 -4 L9 -4 L14 44 L-14 44Z', '#3b2a23') +
      shape('M-11 -18 H11 V-4 H-11Z M-7 -18 H7 L7 -28 H-7Z M-13 -27 H13 L0 -40Z', '#3b2a23') +
      shape('M-14 -12 L-44 -22 L-44 -4Z M14 -12 L44 -22 L44 -4Z', '#d98e4f', 'opacity=".85"') +
      line('M-46 50 q11.500 -9 23 0 t23 0 t23 0 t23 0', '#b0693a', 4),
    { x: 540, y: 378 },
  ),
  placed(shape(lettering.harbor, '#3b2a23'), { x: 418, y: 434, scale: 0.87 }),
  placed(shape(lettering.roasters, '#b0693a'), { x: 445, y: 492, scale: 0.8 }),
  line('M450 538 H630', '#b0693a', 1.5),
  placed(shape(lettering.origin, '#5a4336'), { x: 436, y: 544, scale: 0.88 }),
  placed(shape(lettering.weight, '#5a4336'), { x: 513, y: 565, scale: 0.84 }),
].join('');

const cup = [
  shadow(905, 690, 170, 20, 0.45),
  '<ellipse cx="900" cy="672" rx="162" ry="30" fill="url(#saucer)"/>',
  '<ellipse cx="900" cy="668" rx="104" ry="17" fill="#000" opacity=".12"/>',
  line('M1002 560 C1070 548 1074 626 988 626', '#d9cfc2', 20),
  line('M1002 560 C1066 550 1068 620 988 620', '#fffaf2', 8),
  shape('M790 532 C794 610 826 668 866 670 H934 C974 668 1006 610 1010 532Z', 'url(#cup)'),
  '<ellipse cx="900" cy="532" rx="110" ry="27" fill="#fffdf8"/>',
  '<ellipse cx="900" cy="535" rx="100" ry="22" fill="url(#coffee)"/>',
  // Milk: a heart in two rings.
  shape(
    'M900 556 C862 546 826 536 842 524 C860 514 890 518 900 528 C910 518 940 514 958 524 C974 536 938 546 900 556Z',
    '#f3dfc3',
    'opacity=".92"',
  ),
  shape(
    'M900 549 C876 542 852 535 862 528 C874 522 892 525 900 532 C908 525 926 522 938 528 C948 535 924 542 900 549Z',
    '#8a5a35',
    'opacity=".55"',
  ),
  shape(
    'M900 544 C884 539 868 535 876 531 C884 527 894 529 900 534 C906 529 916 527 924 531 C932 535 916 539 900 544Z',
    '#f7e8d0',
  ),
  ...[
    'M868 486 C846 452 892 430 872 392',
    'M904 480 C882 440 930 418 908 370',
    'M940 488 C922 460 962 436 946 404',
  ].map((d) => line(d, '#fff', 9, 'opacity=".38" filter="url(#blur4)"')),
].join('');

const bean =
  '<ellipse rx="21" ry="14" fill="url(#bean)"/><path d="M-19 2 C-8 -8 6 9 19 -2" fill="none" stroke="#22120a" stroke-width="3" stroke-linecap="round"/><ellipse cx="-6" cy="-6" rx="7" ry="3" fill="#fff" opacity=".16"/>';

const beans = (
  [
    [150, 700, 20],
    [206, 728, -35],
    [112, 742, 70],
    [262, 706, 95],
    [176, 768, 10],
    [300, 752, -15],
    [236, 776, 140],
    [350, 730, 35],
    [620, 752, 15],
    [676, 768, -40],
    [738, 738, 60],
    [84, 690, -50],
  ] as const
)
  .map(([x, y, turn]) => shadow(x + 3, y + 12, 20, 6, 0.4) + placed(bean, { x, y, turn }))
  .join('');

/** A bag of coffee, a cup, and beans on a wooden table. */
export const coffee = picture('Coffee', definitions, room, bag, cup, beans);

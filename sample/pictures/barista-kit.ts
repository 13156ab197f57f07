import { across, around, down, line, picture, placed, shadow, shape } from './draw.ts';
import { lettering } from './lettering.ts';

const definitions = [
  down('wall', [0, '#33504a'], [1, '#1d322e']),
  down('table', [0, '#e9dcc7'], [0.2, '#dccbb0'], [1, '#b39c79']),
  across(
    'black',
    [0, '#0d0f10'],
    [0.22, '#3f4446'],
    [0.34, '#5a6062'],
    [0.6, '#25292b'],
    [1, '#070808'],
  ),
  across(
    'steel',
    [0, '#7f8689'],
    [0.2, '#f2f4f4'],
    [0.45, '#b7bdbf'],
    [0.75, '#dfe3e4'],
    [1, '#60676a'],
  ),
  across('wood', [0, '#6b4124'], [0.35, '#b27b4c'], [1, '#5a3419']),
  across('porcelain', [0, '#cfc9c0'], [0.3, '#ffffff'], [0.65, '#f1ede6'], [1, '#b3aa9d']),
  down('brew', [0, '#6a3517'], [1, '#2c1206']),
  across('glass', [0, '#fff', 0.5], [0.15, '#fff', 0.1], [0.8, '#fff', 0.06], [1, '#fff', 0.4]),
  around('glow', [0.3, 0.25, 0.8], [0, '#8fb3a5', 0.55], [1, '#8fb3a5', 0]),
].join('');

const room = [
  '<rect width="1200" height="800" fill="url(#wall)"/><rect width="1200" height="800" fill="url(#glow)"/>',
  '<rect y="610" width="1200" height="190" fill="url(#table)"/><rect y="610" width="1200" height="3" fill="#fff" opacity=".5"/>',
].join('');

const kettle = [
  shadow(300, 694, 190, 22, 0.4),
  // The spout.
  line('M400 640 C500 640 456 470 486 400 C492 386 504 380 520 384', '#101213', 26),
  line('M400 634 C486 630 450 466 482 396', '#565c5e', 5, 'opacity=".8"'),
  // The handle.
  line('M190 420 C90 380 60 500 110 590', '#101213', 24),
  line('M186 414 C100 386 74 490 112 572', '#4b5153', 5),
  shape('M186 420 C190 406 390 406 396 420 L440 660 C442 690 146 690 148 660Z', 'url(#black)'),
  '<ellipse cx="292" cy="418" rx="104" ry="17" fill="#2f3335"/><ellipse cx="292" cy="412" rx="94" ry="14" fill="#454b4d"/>',
  '<rect x="282" y="380" width="20" height="26" rx="4" fill="#8a6a3f"/><ellipse cx="292" cy="376" rx="24" ry="15" fill="url(#wood)"/>',
  shape(
    'M214 436 C204 520 190 600 184 660 L204 664 C210 600 222 520 232 438Z',
    '#fff',
    'opacity=".13"',
  ),
].join('');

const scale = [
  shadow(684, 708, 190, 16, 0.45),
  '<rect x="520" y="662" width="330" height="40" rx="10" fill="#1b1e1f"/><rect x="520" y="662" width="330" height="9" rx="4" fill="#3d4244"/>',
  '<rect x="722" y="675" width="104" height="22" rx="4" fill="#081614"/>',
  placed(shape(lettering.grams, '#7df0c4'), { x: 746, y: 670, scale: 0.62 }),
].join('');

const server = [
  shape(
    'M600 520 C560 560 566 640 580 660 H740 C754 640 760 560 720 520Z',
    '#fff',
    'opacity=".12"',
  ),
  shape('M574 590 C568 624 574 648 582 658 H738 C746 648 752 624 746 590Z', 'url(#brew)'),
  '<ellipse cx="660" cy="590" rx="86" ry="10" fill="#8a4a22"/>',
  shape('M600 520 C560 560 566 640 580 660 H740 C754 640 760 560 720 520Z', 'url(#glass)'),
  line('M742 548 C800 548 796 630 748 632', '#e8f1ee', 9, 'opacity=".55"'),
  line('M600 520 H720', '#e8f1ee', 6, 'opacity=".75"'),
].join('');

const dripper = [
  '<ellipse cx="660" cy="516" rx="96" ry="15" fill="url(#porcelain)"/><ellipse cx="660" cy="511" rx="92" ry="12" fill="#fff"/>',
  line('M752 436 C806 430 806 490 736 492', '#e9e4db', 14),
  shape('M552 392 L626 508 H694 L768 392Z', 'url(#porcelain)'),
  ...[0, 1, 2, 3, 4].map((i) =>
    line(`M${588 + i * 36} ${404} L${632 + i * 14} 500`, '#b9b0a2', 2.5, 'opacity=".5"'),
  ),
  // The paper, and the coffee in it.
  shape('M546 392 C560 340 760 340 774 392Z', '#f4e8d4'),
  '<ellipse cx="660" cy="392" rx="114" ry="22" fill="#fff8ea"/><ellipse cx="660" cy="393" rx="98" ry="16" fill="#3a1c0c"/><ellipse cx="650" cy="390" rx="56" ry="8" fill="#7a4622" opacity=".7"/>',
  ...['M628 356 C610 326 648 308 632 276', 'M684 352 C668 318 708 302 690 262'].map((d) =>
    line(d, '#fff', 8, 'opacity=".3" filter="url(#blur4)"'),
  ),
].join('');

const grinder = [
  shadow(976, 702, 100, 16, 0.45),
  '<rect x="906" y="420" width="132" height="276" rx="16" fill="url(#steel)"/>',
  '<rect x="906" y="560" width="132" height="8" fill="#4a5053" opacity=".55"/><rect x="906" y="572" width="132" height="124" rx="12" fill="url(#wood)"/>',
  '<ellipse cx="972" cy="422" rx="66" ry="13" fill="#eef1f1"/><ellipse cx="972" cy="418" rx="52" ry="9" fill="#8d9497"/>',
  '<rect x="965" y="366" width="14" height="52" rx="5" fill="#5d6467"/>',
  line('M972 370 L1098 344', '#4b5255', 14),
  line('M972 366 L1096 340', '#a9b0b3', 4),
  '<rect x="1086" y="286" width="26" height="58" rx="12" fill="url(#wood)"/>',
  '<rect x="924" y="436" width="10" height="112" rx="5" fill="#fff" opacity=".55"/>',
].join('');

const beans = (
  [
    [430, 744, 10],
    [476, 762, -40],
    [396, 772, 60],
    [884, 748, 25],
    [846, 772, -20],
  ] as const
)
  .map(
    ([x, y, turn]) =>
      shadow(x + 2, y + 10, 18, 5, 0.35) +
      placed(
        '<ellipse rx="20" ry="13" fill="#4a2c1b"/><path d="M-18 2 C-8 -7 6 8 18 -2" fill="none" stroke="#1f1008" stroke-width="3"/>',
        { x, y, turn },
      ),
  )
  .join('');

/** A kettle, a dripper on a scale, and a hand grinder. */
export const baristaKit = picture(
  'Barista kit',
  definitions,
  room,
  kettle,
  scale,
  server,
  dripper,
  grinder,
  beans,
);

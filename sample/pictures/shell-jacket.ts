import { across, around, down, line, picture, placed, shadow, shape } from './draw.ts';
import { lettering } from './lettering.ts';

const definitions = [
  down('air', [0, '#cfdde6'], [0.6, '#e9eff2'], [1, '#f6f4ef']),
  around('light', [0.35, 0.25, 0.7], [0, '#fff', 0.85], [1, '#fff', 0]),
  down('hills', [0, '#a9c0cd'], [1, '#d5e0e6']),
  across(
    'body',
    [0, '#b23a1e'],
    [0.18, '#e2603a'],
    [0.45, '#f0764c'],
    [0.52, '#d9532c'],
    [0.8, '#cf4a25'],
    [1, '#8f2a12'],
  ),
  across('left', [0, '#8f2a12'], [0.4, '#e2603a'], [0.8, '#d04d28'], [1, '#a93719']),
  across('right', [0, '#a93719'], [0.3, '#d8532d'], [0.7, '#c0421f'], [1, '#7c2410']),
  down('yoke', [0, '#23313d'], [1, '#18222b']),
  around('hood', [0.45, 0.3, 0.75], [0, '#ee7148'], [0.6, '#d4502a'], [1, '#93300f']),
  around('inside', [0.5, 0.4, 0.6], [0, '#1d2830'], [1, '#0e151a']),
].join('');

const room = [
  '<rect width="1200" height="800" fill="url(#air)"/>',
  shape(
    'M0 560 L160 420 L260 500 L400 340 L520 470 L640 400 L800 520 L940 380 L1080 480 L1200 410 V800 H0Z',
    'url(#hills)',
    'opacity=".55" filter="url(#blur4)"',
  ),
  '<rect width="1200" height="800" fill="url(#light)"/>',
  shadow(600, 748, 300, 18, 0.28),
].join('');

const sleeves = [
  shape(
    'M428 236 C370 262 338 330 318 440 C306 520 290 600 282 668 C300 690 346 694 366 682 C380 620 402 540 424 470 L448 330Z',
    'url(#left)',
  ),
  shape(
    'M772 236 C830 262 862 330 882 440 C894 520 910 600 918 668 C900 690 854 694 834 682 C820 620 798 540 776 470 L752 330Z',
    'url(#right)',
  ),
  shape('M282 668 C300 690 346 694 366 682 L361 706 C340 716 300 712 278 694Z', '#18222b'),
  shape('M918 668 C900 690 854 694 834 682 L839 706 C860 716 900 712 922 694Z', '#18222b'),
  line('M352 420 C342 500 330 580 322 650', '#7d2410', 3, 'opacity=".55"'),
  line('M848 420 C858 500 870 580 878 650', '#671c0a', 3, 'opacity=".55"'),
  shape(
    'M300 560 C330 572 372 574 394 566 L386 592 C360 598 320 596 296 586Z',
    '#f6d9c9',
    'opacity=".14"',
  ),
].join('');

const body = [
  shape(
    'M428 236 C470 214 520 206 600 206 C680 206 730 214 772 236 C792 330 790 520 800 700 C760 728 440 728 400 700 C410 520 408 330 428 236Z',
    'url(#body)',
  ),
  // The yoke over the shoulders.
  shape(
    'M428 236 C470 214 520 206 600 206 C680 206 730 214 772 236 C778 262 781 288 783 312 C720 340 680 344 600 344 C520 344 480 340 417 312 C419 288 422 262 428 236Z',
    'url(#yoke)',
  ),
  line(
    'M417 312 C480 340 520 344 600 344 C680 344 720 340 783 312',
    '#ff9a70',
    2.5,
    'opacity=".8"',
  ),
  // Folds.
  ...[
    'M470 380 C462 480 470 580 456 690',
    'M540 370 C532 470 546 600 534 706',
    'M690 370 C704 470 690 600 706 704',
    'M744 380 C752 480 744 580 760 688',
  ].map((d) => line(d, '#7a240e', 9, 'opacity=".22" filter="url(#blur4)"')),
  shape(
    'M480 356 C474 470 484 580 470 700 L500 706 C512 590 504 470 510 358Z',
    '#fff',
    'opacity=".10" filter="url(#blur4)"',
  ),
  // The zip, under a storm flap.
  line('M600 250 V716', '#2a0d05', 13, 'opacity=".5"'),
  line('M600 246 V716', '#18222b', 8),
  line('M600 246 V716', '#8f9aa2', 2.5, 'stroke-dasharray="2 7"'),
  '<rect x="592" y="286" width="16" height="34" rx="7" fill="#f2b134"/>',
  // Pockets.
  line('M500 470 L468 590', '#18222b', 7),
  line('M500 470 L468 590', '#9aa5ad', 2, 'stroke-dasharray="2 6"'),
  line('M700 470 L732 590', '#18222b', 7),
  line('M700 470 L732 590', '#9aa5ad', 2, 'stroke-dasharray="2 6"'),
  '<rect x="464" y="584" width="10" height="24" rx="5" fill="#f2b134"/><rect x="727" y="584" width="10" height="24" rx="5" fill="#f2b134"/>',
  line('M676 392 H752', '#18222b', 6),
  // The hem.
  shape(
    'M401 682 C440 708 760 708 799 682 L800 700 C760 728 440 728 400 700Z',
    '#7d2410',
    'opacity=".6"',
  ),
  placed(shape(lettering.fjord, '#f4f1ea'), { x: 450, y: 246, scale: 0.82 }),
  placed(line('M0 18 L14 0 L24 12 L34 2 L50 18', '#f2b134', 4), { x: 690, y: 262 }),
].join('');

const hood = [
  shape(
    'M474 224 C452 150 480 70 600 66 C720 70 748 150 726 224 C690 248 640 256 600 256 C560 256 510 248 474 224Z',
    'url(#hood)',
  ),
  shape(
    'M514 214 C506 156 530 112 600 110 C670 112 694 156 686 214 C664 236 630 246 600 248 C570 246 536 236 514 214Z',
    'url(#inside)',
  ),
  line('M514 214 C506 156 530 112 600 110 C670 112 694 156 686 214', '#ffb08e', 3, 'opacity=".7"'),
  shape(
    'M520 206 C540 232 570 244 600 248 C630 244 660 232 680 206 C674 246 640 274 600 276 C560 274 526 246 520 206Z',
    '#d4502a',
  ),
  line('M600 66 C596 80 596 96 600 110', '#8f2a12', 3, 'opacity=".6"'),
  shape('M494 120 C510 84 550 72 580 72 C546 84 516 110 508 150Z', '#fff', 'opacity=".22"'),
  '<circle cx="546" cy="262" r="6" fill="#18222b"/><circle cx="654" cy="262" r="6" fill="#18222b"/>',
  line('M546 262 C542 300 550 320 544 346', '#18222b', 4),
  line('M654 262 C658 300 650 320 656 346', '#18222b', 4),
].join('');

/** A jacket with a hood, in front of mountains. */
export const shellJacket = picture('A shell jacket', definitions, room, sleeves, body, hood);

import { around, down, line, picture, placed, shape } from './draw.ts';
import { lettering } from './lettering.ts';

const definitions = [
  around('desk', [0.35, 0.3, 0.95], [0, '#efe6d6'], [1, '#cdbfa6']),
  down('sea', [0, '#cfe5e6'], [1, '#a9d0d4']),
  down('cover', [0, '#7d5ba8'], [0.5, '#6a4c93'], [1, '#4a3270']),
  down('land', [0, '#f3e7c3'], [1, '#e6d3a2']),
  around('brass', [0.35, 0.3, 0.8], [0, '#fff1bf'], [0.5, '#e0b552'], [1, '#8d6518']),
  around('dial', [0.4, 0.35, 0.7], [0, '#ffffff'], [1, '#e9e4d8']),
  '<clipPath id="sheet"><rect width="760" height="560"/></clipPath>',
].join('');

/** Contours of a hill: a curve, and smaller ones within it. */
function contours(x: number, y: number, count: number, colour: string): string {
  const curve =
    'M-120 10 C-130 -60 -60 -96 10 -88 C90 -92 136 -40 120 20 C110 82 40 96 -30 88 C-90 92 -116 60 -120 10Z';
  return Array.from({ length: count }, (_, i) =>
    placed(line(curve, colour, 2 / (1 - i * 0.14), 'opacity=".75"'), {
      x: x + i * 5,
      y: y - i * 4,
      scale: 1 - i * 0.14,
      turn: i * 4,
    }),
  ).join('');
}

const coast =
  'M300 -20 C330 60 260 110 296 170 C330 226 250 262 286 330 C318 392 400 380 392 450 C388 500 340 520 360 590 L800 600 L800 -20Z';

const sheet = placed(
  [
    '<rect x="8" y="18" width="760" height="560" fill="#000" opacity=".45" filter="url(#blur18)"/>',
    '<g clip-path="url(#sheet)"><rect width="760" height="560" fill="url(#sea)"/>',
    ...[70, 50, 30, 12].map((width, i) =>
      line(coast, '#fff', width, `opacity="${0.1 + i * 0.07}"`),
    ),
    shape(coast, 'url(#land)'),
    line(coast, '#8a7440', 3),
    // Where the coast was in earlier years.
    ...[-18, -36].map((dx) =>
      placed(line(coast, '#c8553d', 2.5, 'stroke-dasharray="9 8" opacity=".85"'), { x: dx, y: 0 }),
    ),
    contours(560, 170, 6, '#b08d4a'),
    contours(610, 410, 5, '#b08d4a'),
    contours(430, 300, 3, '#b08d4a'),
    line('M560 120 C520 200 600 260 500 300 C440 330 430 350 390 420', '#5aa4b5', 5),
    line('M610 380 C560 360 540 330 500 300', '#5aa4b5', 4),
    line(
      'M470 -10 C500 90 640 240 700 300 C720 380 690 480 720 570',
      '#8c3b3b',
      3,
      'stroke-dasharray="14 6"',
    ),
    ...(
      [
        [392, 424, 9],
        [640, 246, 7],
        [318, 168, 7],
        [706, 470, 6],
      ] as const
    ).map(
      ([x, y, r]) =>
        `<circle cx="${x}" cy="${y}" r="${r}" fill="#fff" stroke="#2f2440" stroke-width="3.500"/>`,
    ),
    ...[140, 280, 420].map((y) => line(`M0 ${y} H760`, '#4f6d73', 1, 'opacity=".35"')),
    ...[190, 380, 570].map((x) => line(`M${x} 0 V560`, '#4f6d73', 1, 'opacity=".35"')),
    // The folds of the sheet: each panel catches the light in another way.
    ...[0, 190, 380, 570].map(
      (x, i) =>
        `<rect x="${x}" width="190" height="560" fill="${i % 2 === 0 ? '#fff' : '#000'}" opacity="${i % 2 === 0 ? 0.1 : 0.07}"/>`,
    ),
    ...[190, 380, 570].map((x) => line(`M${x} 0 V560`, '#fff', 2, 'opacity=".5"')),
    '<rect y="280" width="760" height="280" fill="#000" opacity=".05"/>',
    '</g><rect width="760" height="560" fill="none" stroke="#fff" stroke-width="10"/><rect x="12" y="12" width="736" height="536" fill="none" stroke="#7b6a45" stroke-width="2"/>',
  ].join(''),
  { x: 60, y: 120, turn: -5 },
);

const book = placed(
  [
    '<rect x="10" y="18" width="300" height="420" rx="6" fill="#000" opacity=".5" filter="url(#blur18)"/>',
    '<rect x="6" y="8" width="300" height="420" rx="5" fill="#f4efe2"/>',
    ...[2, 4, 6].map((d) => line(`M${300 + d} 10 V424`, '#cfc6b2', 1)),
    '<rect width="300" height="420" rx="5" fill="url(#cover)"/><rect width="16" height="420" rx="5" fill="#000" opacity=".25"/>',
    placed(
      `${[0, 1, 2, 3, 4]
        .map((i) =>
          line(
            'M-120 10 C-130 -60 -60 -96 10 -88 C90 -92 136 -40 120 20 C110 82 40 96 -30 88 C-90 92 -116 60 -120 10Z',
            '#ffca3a',
            3,
            `transform="scale(${1 - i * 0.17}) rotate(${i * 9})"`,
          ),
        )
        .join('')}<circle r="9" fill="#ffca3a"/>`,
      { x: 158, y: 268, scale: 0.86 },
    ),
    placed(shape(lettering.quarterly, '#f2e9ff'), { x: 30, y: 34, scale: 0.84 }),
    placed(shape(lettering.atlas, '#ffca3a'), { x: 24, y: 52, scale: 0.78 }),
    placed(shape(lettering.press, '#f2e9ff'), { x: 34, y: 374, scale: 0.86 }),
  ].join(''),
  { x: 820, y: 270, turn: 8 },
);

const compass = placed(
  [
    '<ellipse cx="6" cy="14" rx="92" ry="92" fill="#000" opacity=".45" filter="url(#blur10)"/>',
    '<circle r="92" fill="url(#brass)"/><circle r="76" fill="url(#dial)" stroke="#8d6518" stroke-width="3"/>',
    ...Array.from({ length: 24 }, (_, i) =>
      placed(line(`M0 -70 V${i % 6 === 0 ? -52 : -61}`, '#3a3222', i % 6 === 0 ? 4 : 2), {
        x: 0,
        y: 0,
        turn: i * 15,
      }),
    ),
    placed(shape('M0 -58 L10 0 L-10 0Z', '#c8332b') + shape('M0 58 L10 0 L-10 0Z', '#2f3a4a'), {
      x: 0,
      y: 0,
      turn: 32,
    }),
    '<circle r="8" fill="url(#brass)" stroke="#6d4d12" stroke-width="2"/>',
    shape('M-52 -40 A66 66 0 0 1 20 -62 A80 80 0 0 0 -52 -40Z', '#fff', 'opacity=".7"'),
  ].join(''),
  { x: 668, y: 640 },
);

/** A map with an old and a new coast, a book, and a compass. */
export const atlas = picture(
  'An atlas',
  definitions,
  '<rect width="1200" height="800" fill="url(#desk)"/>',
  sheet,
  book,
  compass,
);

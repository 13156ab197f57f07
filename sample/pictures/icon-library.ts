import { around, down, line, picture, placed, shape } from './draw.ts';

const definitions = [
  around('night', [0.3, 0.2, 1], [0, '#2b3a67'], [0.6, '#18213f'], [1, '#0d1226']),
  down('tile', [0, '#ffffff'], [1, '#e6eaf4']),
  down('coral', [0, '#ff8f7a'], [1, '#e8604c']),
  down('mint', [0, '#7fe3c4'], [1, '#39b594']),
  down('sun', [0, '#ffd77a'], [1, '#f0ad33']),
  down('sky', [0, '#8fb8ff'], [1, '#4d7fe6']),
].join('');

/** Icons on a grid of 24 units, drawn as lines. */
const icons = [
  'M4 12h16m-6-6 6 6-6 6',
  'M4 12l6 6L20 6',
  'M12 21s-7-4.500-9-9a5 5 0 0 1 9-4 5 5 0 0 1 9 4c-2 4.500-9 9-9 9z',
  'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  'M4 7h16M4 12h16M4 17h10',
  'M12 3v12m-5-5 5 5 5-5M4 20h16',
  'M5 11h14v9H5zM8 11V8a4 4 0 0 1 8 0v3',
  'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3m0 14v3M2 12h3m14 0h3M5 5l2 2m10 10 2 2m0-14-2 2M7 17l-2 2',
  'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c1-5 5-6 8-6s7 1 8 6',
  'M4 6h16v12H4zM4 7l8 6 8-6',
  'M3 20V9l9-6 9 6v11h-6v-6H9v6z',
  'M4 19V5m0 14h17M8 15l4-5 3 3 5-7',
  'M12 3l2.700 5.800 6.300.700-4.700 4.300 1.300 6.200L12 17l-5.600 3 1.300-6.200L3 9.500l6.300-.700z',
  'M6 9a6 6 0 0 1 12 0c0 6 2 7 2 8H4c0-1 2-2 2-8zM10 21h4',
  'M8 4h8l2 3h3v12H3V7h3zM12 16a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7z',
  'M4 12a8 8 0 1 0 2.300-5.700M4 4v4h4',
  'M12 22c5-6 7-9 7-13A7 7 0 0 0 5 9c0 4 2 7 7 13zM12 12a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  'M7 3h10v18l-5-4-5 4z',
  'M12 6v6l4 3M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  'M3 12c3-6 15-6 18 0-3 6-15 6-18 0zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  'M3 6h3l2 11h10l3-8H7M10 21h.010M17 21h.010',
  'M12 4v16M4 12h16',
  'M5 20l1-4L16 6l3 3L9 19z',
] as const;

const accents: Readonly<Record<number, string>> = {
  2: 'coral',
  7: 'sun',
  11: 'mint',
  15: 'sky',
  18: 'coral',
  22: 'mint',
};

const COLUMNS = 7;
const SIZE = 150;
const GAP = 28;

function tile(i: number): string {
  const accent = accents[i % icons.length];
  const [x, y] = [(i % COLUMNS) * (SIZE + GAP), Math.floor(i / COLUMNS) * (SIZE + GAP)];
  const body = [
    `<rect x="4" y="14" width="${SIZE}" height="${SIZE}" rx="34" fill="#000" opacity=".4" filter="url(#blur10)"/>`,
    `<rect width="${SIZE}" height="${SIZE}" rx="34" fill="url(#${accent ?? 'tile'})"/>`,
    `<rect x="2" y="2" width="${SIZE - 4}" height="${SIZE - 4}" rx="32" fill="none" stroke="#fff" stroke-width="3" opacity=".6"/>`,
    placed(line(icons[i % icons.length] ?? '', accent ? '#fff' : '#1d2a52', 1.9), {
      x: 33,
      y: 33,
      scale: 3.5,
    }),
  ];
  return placed(body.join(''), { x, y });
}

const wall = placed(Array.from({ length: COLUMNS * 7 }, (_, i) => tile(i)).join(''), {
  x: -60,
  y: -70,
  turn: -14,
});

/** Icons on tiles, some of them in colour. */
export const iconLibrary = picture(
  'Icons',
  definitions,
  '<rect width="1200" height="800" fill="url(#night)"/>',
  wall,
  shape('M0 0H1200V800H0Z', 'url(#night)', 'opacity=".12"'),
);

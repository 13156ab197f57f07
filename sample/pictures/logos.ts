import { line, placed, shape } from './draw.ts';

/** A merchant's mark on a square of one colour. */
function logo(title: string, colour: string, ...parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512" viewBox="0 0 256 256"><title>${title}</title><rect width="256" height="256" fill="${colour}"/>${parts.join('')}</svg>`;
}

/** Marks of the merchants by their slugs. */
export const logos = {
  'harbor-roasters': logo(
    'A lighthouse',
    '#3b2a23',
    shape('M114 96 H142 L152 176 H104Z', '#f4e6d4'),
    shape('M110 74 H146 V92 H110Z M106 70 H150 L128 46Z', '#f4e6d4'),
    shape('M104 84 L44 64 V104Z M152 84 L212 64 V104Z', '#d98e4f'),
    shape('M109 120 L147 120 L149 140 L107 140Z', '#b0693a'),
    line('M52 194 q19 -15 38 0 t38 0 t38 0 t38 0', '#d98e4f', 10),
  ),
  'northlight-studio': logo(
    'The northern lights',
    '#17233f',
    ...[
      ['#7fe3c4', 0],
      ['#5fb7e8', 26],
      ['#b79cf2', 52],
    ].map(([colour, dy]) =>
      placed(line('M44 148 C84 60 120 176 152 96 C166 62 190 58 212 74', String(colour), 15), {
        x: 0,
        y: Number(dy),
      }),
    ),
    '<circle cx="76" cy="62" r="8" fill="#fff"/><circle cx="112" cy="42" r="5" fill="#fff" opacity=".8"/>',
  ),
  'fjord-outfitters': logo(
    'Mountains at the sea',
    '#1b4965',
    shape('M28 172 L98 70 L132 118 L160 84 L228 172Z', '#e9f4fb'),
    shape('M98 70 L118 98 L104 96 L96 112 L84 98 L78 99Z', '#62b6cb'),
    shape('M160 84 L180 110 L166 108 L156 120 L146 102Z', '#62b6cb'),
    line('M40 196 H216 M66 216 H190', '#62b6cb', 10),
  ),
  'meridian-press': logo(
    'A globe',
    '#6a4c93',
    '<g fill="none" stroke="#ffca3a" stroke-width="9"><circle cx="128" cy="128" r="76"/><ellipse cx="128" cy="128" rx="34" ry="76"/><path d="M52 128H204M64 88H192M64 168H192"/></g>',
  ),
} as const;

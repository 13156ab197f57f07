/** Width and height of a picture of a product, pixels. */
const PICTURE = { width: 1200, height: 800 } as const;

/** A picture of a product: an SVG with definitions of gradients and filters, and what is drawn with them. */
export function picture(title: string, definitions: string, ...parts: readonly string[]): string {
  const { width, height } = PICTURE;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><title>${title}</title><defs>${shared}${definitions}</defs>${parts.join('')}</svg>`;
}

/** Definitions that all pictures have: blurs for shadows and light. */
const shared = [4, 10, 18, 40]
  .map(
    (blur) =>
      `<filter id="blur${blur}" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="${blur}"/></filter>`,
  )
  .join('');

/** Stop of a gradient: its place from 0 to 1, its colour, and its opacity. */
type Stop = readonly [at: number, colour: string, opacity?: number];

function stopsOf(stops: readonly Stop[]): string {
  return stops
    .map(
      ([at, colour, opacity = 1]) =>
        `<stop offset="${at}" stop-color="${colour}" stop-opacity="${opacity}"/>`,
    )
    .join('');
}

/** A gradient from the top down. */
export function down(id: string, ...stops: readonly Stop[]): string {
  return `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${stopsOf(stops)}</linearGradient>`;
}

/** A gradient from left to right: the light on something round. */
export function across(id: string, ...stops: readonly Stop[]): string {
  return `<linearGradient id="${id}" x1="0" y1="0" x2="1" y2="0">${stopsOf(stops)}</linearGradient>`;
}

/** A gradient from a point outwards. */
export function around(
  id: string,
  [x, y, r]: readonly number[],
  ...stops: readonly Stop[]
): string {
  return `<radialGradient id="${id}" cx="${x}" cy="${y}" r="${r}">${stopsOf(stops)}</radialGradient>`;
}

/** A shadow on a table: a dark ellipse without an edge. */
export function shadow(x: number, y: number, rx: number, ry: number, opacity = 0.35): string {
  return `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="#000" opacity="${opacity}" filter="url(#blur18)"/>`;
}

/** A path that is filled. */
export function shape(d: string, fill: string, more = ''): string {
  return `<path d="${d}" fill="${fill}" ${more}/>`;
}

/** A line without a filling. */
export function line(d: string, colour: string, width: number, more = ''): string {
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" ${more}/>`;
}

/** Something moved, turned (degrees) and scaled. */
export function placed(
  what: string,
  { x, y, turn = 0, scale = 1 }: { x: number; y: number; turn?: number; scale?: number },
): string {
  return `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${scale})">${what}</g>`;
}

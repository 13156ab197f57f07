/** Anchors of a page's headings, as GitHub makes them. */
export function headingsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const { 1: title = '' } of markdown
    .replace(/```[\s\S]*?```/g, '')
    .matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-');
    let unique = anchor;
    for (let i = 1; anchors.has(unique); i++) unique = `${anchor}-${i}`;
    anchors.add(unique);
  }
  return anchors;
}

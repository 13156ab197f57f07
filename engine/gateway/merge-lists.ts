/** Position in the list of one source. */
export interface Position {
  /** The source's own cursor; `undefined` at its beginning. */
  readonly cursor: string | undefined;
  /** True if all items of the source were returned. */
  readonly isDone: boolean;
}

/** A page of one source. */
export interface SourcePage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** A list that is merged with others. */
export interface Source<T, P extends SourcePage<T> = SourcePage<T>> {
  readonly key: string;
  readonly position: Position;
  /** Reads a page after a cursor of the source; `undefined` if it does not answer. */
  readonly read: (cursor: string | undefined, limit: number) => Promise<P | undefined>;
}

/** A page of several lists. */
export interface MergedPage<T, P> {
  readonly items: readonly { readonly key: string; readonly item: T }[];
  /** Positions after this page, by key, of the sources that have one. */
  readonly positions: ReadonlyMap<string, Position>;
  /** First page that each source gave, by key; sources that were not asked or did not answer have none. */
  readonly pages: ReadonlyMap<string, P>;
}

/** Order of two items; negative if the first one comes first. */
export type Compare<T> = (one: T, other: T) => number;

/**
 * Merges pages of several lists into one page. Over all pages, each item of a source is returned exactly once,
 * even if items are added meanwhile, because a source's position is always a cursor that it gave itself. A
 * source of whose page only a part fits is therefore asked a second time, for exactly that part. A source that does not
 * answer keeps its position.
 *
 * As long as others have items, a source gets at most half of a page, rounded up, whatever it says of its items.
 * @param compare order of the items; without it, the sources take turns and each keeps its own order.
 */
export async function mergeLists<T, P extends SourcePage<T>>(
  sources: readonly Source<T, P>[],
  limit: number,
  compare?: Compare<T>,
): Promise<MergedPage<T, P>> {
  const open = sources.filter(({ position }) => !position.isDone);
  const pages = await readAll(open, () => limit);
  const counts = countByKey(inOrder(pages, limit, compare, Math.ceil(limit / 2)));
  const isCut = ({ key }: Source<T, P>) => {
    const taken = counts.get(key) ?? 0;
    return taken > 0 && taken < (pages.get(key)?.items.length ?? 0);
  };
  const cut = open.filter(isCut);
  const exact = await readAll(cut, ({ key }) => counts.get(key) ?? 1);
  const final = new Map<string, SourcePage<T>>();
  const positions = new Map(
    sources.flatMap(({ key, position }) =>
      position.isDone || position.cursor !== undefined ? [[key, position] as const] : [],
    ),
  );
  for (const source of open) {
    const { key } = source;
    const page = cut.includes(source) ? exact.get(key) : pages.get(key);
    const isUnread = page === undefined || (page.items.length > 0 && !counts.has(key));
    if (isUnread) continue;
    final.set(key, page);
    const { nextCursor } = page;
    positions.set(key, { cursor: nextCursor ?? undefined, isDone: nextCursor === null });
  }
  return { items: inOrder(final, limit, compare), positions, pages };
}

async function readAll<T, P extends SourcePage<T>>(
  sources: readonly Source<T, P>[],
  limitOf: (source: Source<T, P>) => number,
): Promise<Map<string, P>> {
  const read = await Promise.all(
    sources.map(async (source) => ({
      key: source.key,
      page: cutTo(limitOf(source), await source.read(source.position.cursor, limitOf(source))),
    })),
  );
  return new Map(read.flatMap(({ key, page }) => (page === undefined ? [] : [[key, page]])));
}

/** The page without the items beyond the limit that was requested. */
function cutTo<P extends SourcePage<unknown>>(limit: number, page: P | undefined): P | undefined {
  if (page === undefined || page.items.length <= limit) return page;
  return { ...page, items: page.items.slice(0, limit) };
}

/** A page that items are taken from. */
interface Queue<T> {
  readonly key: string;
  readonly items: readonly T[];
  taken: number;
}

/**
 * The first items of all pages. Each page keeps its own order, whatever `compare` says.
 * @param share items that one page may give while another one has items left.
 */
function inOrder<T>(
  pages: ReadonlyMap<string, SourcePage<T>>,
  limit: number,
  compare: Compare<T> | undefined,
  share = limit,
): { key: string; item: T }[] {
  const queues = [...pages].map(([key, { items }]): Queue<T> => ({ key, items, taken: 0 }));
  const merged: { key: string; item: T }[] = [];
  while (merged.length < limit) {
    const open = queues.filter(({ items, taken }) => taken < items.length);
    const within = open.filter(({ taken }) => taken < share);
    const first = firstOf(within.length > 0 ? within : open, compare);
    if (first === undefined) break;
    first.queue.taken += 1;
    merged.push({ key: first.queue.key, item: first.item });
  }
  return merged;
}

/** The queue whose next item comes first; without an order, the one that gave the fewest. */
function firstOf<T>(queues: readonly Queue<T>[], compare: Compare<T> | undefined) {
  let first: { readonly queue: Queue<T>; readonly item: T } | undefined;
  for (const queue of queues) {
    const item = queue.items[queue.taken];
    if (item === undefined) continue;
    const isFirst =
      first === undefined ||
      (compare ? compare(item, first.item) < 0 : queue.taken < first.queue.taken);
    if (isFirst) first = { queue, item };
  }
  return first;
}

function countByKey(merged: readonly { readonly key: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of merged) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

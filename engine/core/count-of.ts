/**
 * A count with its noun: `1 sale`, `2 sales`, `0 sales`.
 * @param many noun for every count except 1; by default with an s. Both may have a verb: `sale is`, `sales are`.
 */
export function countOf(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count} ${BigInt(count) === 1n ? one : many}`;
}

import type { Forest } from './forest.ts';

/** An account with links in a campaign. */
export interface NodeOwner {
  readonly address: string;
  readonly handle: string | null;
  readonly links: number;
  /** Sales that its links made. */
  readonly sales: number;
  /** Links directly under its own. */
  readonly below: number;
}

/** The accounts behind the loaded links: most sales first, then most links, then by address. */
export function ownersOf({ nodes }: Forest): NodeOwner[] {
  const owners = new Map<string, NodeOwner>();
  for (const { owner, ownerHandle, sales, childCount } of nodes.values()) {
    const known = owners.get(owner);
    owners.set(owner, {
      address: owner,
      handle: ownerHandle ?? known?.handle ?? null,
      links: (known?.links ?? 0) + 1,
      sales: (known?.sales ?? 0) + (sales ?? 0),
      below: (known?.below ?? 0) + (childCount ?? 0),
    });
  }
  return [...owners.values()].sort(
    (a, b) => b.sales - a.sales || b.links - a.links || (a.address < b.address ? -1 : 1),
  );
}

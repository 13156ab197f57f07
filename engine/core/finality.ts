/**
 * How certain it is that a block stays on the chain (docs/reference/glossary.md#engine). `pending` says only that a
 * reorg can still remove it: it has no tag of the chain yet.
 */
export type Finality = 'pending' | 'safe' | 'finalized';

import type { api, DataOf } from '../../../api.ts';

type Reason = DataOf<typeof api.earnings.missed>['items'][number]['reason'];

/** Reasons why a reward was smaller, each with a name and an explanation. */
export const missedReasons: Readonly<
  Record<Reason, { readonly name: string; readonly text: string }>
> = {
  SALE_CAP: {
    name: 'Cap of a sale',
    text: 'The policy limits the rewards of a single sale. An expensive sale pays no more than that.',
  },
  LIABILITY_CAP: {
    name: 'Cap of the campaign',
    text: 'The policy limits what the campaign pays in all. It had almost reached that limit.',
  },
  BUDGET: {
    name: 'Empty vault',
    text: 'The vault had less money than the reward. The merchant has to add money before it pays in full again.',
  },
};

import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import { coveredText } from '../ledger/covered-sales.ts';
import { Amount } from './amount.tsx';
import { Facts } from './facts.tsx';
import { NextPolicy } from './next-policy.tsx';

interface Props {
  readonly campaign: DataOf<Client['links']['get']>['campaign'];
}

/** Remaining budget of the campaign of a link, and its next policy: later sales are paid from and by these. */
export function RewardOutlook({ campaign }: Props) {
  const { token, rewardAvailable, salesCovered, nextPolicy } = campaign;
  return (
    <div className="stack">
      <Facts
        facts={[
          ['Budget left', <Amount key="left" value={rewardAvailable} token={token} />],
          ['It covers', coveredText(salesCovered)],
        ]}
      />
      {nextPolicy && <NextPolicy policy={nextPolicy} />}
    </div>
  );
}

import type { Meta } from '../api.ts';
import { groupDigits } from '../format.ts';
import { Badge, type Tone } from './badge.tsx';
import { Time } from './time.tsx';
import styles from './values.module.css';

type FinalityName = NonNullable<Meta['chain']>['finality'];

const tones: Record<FinalityName, Tone> = { pending: 'plain', safe: 'plain', finalized: 'good' };

/** A sale can be "pending" and "finalized" too: these names are of blocks alone. */
const names: Record<FinalityName, string> = {
  pending: 'not final yet',
  safe: 'safe',
  finalized: 'final',
};

/** How final something is on the chain. */
export function Finality({ value }: { readonly value: FinalityName }) {
  return <Badge tone={tones[value]}>{names[value]}</Badge>;
}

/** "As of block N, final": the block that an answer was read as of, and what keeps it from being final. */
export function AsOf({ meta }: { readonly meta: Meta | undefined }) {
  const chain = meta?.chain;
  if (chain === undefined) return null;
  return (
    <>
      <p className={styles.asOf}>
        As of block {groupDigits(chain.blockNumber)}, <Time at={chain.blockTimestamp} />
        <Finality value={chain.finality} />
      </p>
      {chain.stopped?.campaigns.map((stopped) => (
        <StoppedNote key={stopped.campaignId} {...stopped} />
      ))}
      {chain.reorg && (
        <p role="note">The chain is replacing blocks: what is shown may change in a moment.</p>
      )}
    </>
  );
}

type Stopped = NonNullable<NonNullable<Meta['chain']>['stopped']>['campaigns'][number];

/** Says that settlement has stopped a campaign, and why: what is shown of it may be wrong. */
function StoppedNote({ campaignId, since, reason }: Stopped) {
  return (
    <p role="note">
      <strong>Campaign {campaignId} has been stopped</strong> since <Time at={since} />: {reason}.
      What is shown of it may be outdated, or of blocks that the chain has replaced.
    </p>
  );
}

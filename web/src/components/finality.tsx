import type { Meta } from '../api.ts';
import { countOf, groupDigits } from '../format.ts';
import { useStatus } from '../status.ts';
import { word } from '../word.ts';
import { Badge, type Tone } from './badge.tsx';
import { Time } from './time.tsx';
import styles from './values.module.css';

type FinalityName = NonNullable<Meta['chain']>['finality'];

const tones: Record<FinalityName, Tone> = { pending: 'plain', safe: 'plain', finalized: 'good' };

/** A sale can be "pending" and "finalized" too: these names are of blocks alone. */
const names: Record<FinalityName, string> = {
  pending: 'not final yet',
  safe: word('safe'),
  finalized: word('final'),
};

/** How final something is on the chain. */
export function Finality({ value }: { readonly value: FinalityName }) {
  return <Badge tone={tones[value]}>{names[value]}</Badge>;
}

interface AsOfProps {
  readonly meta: Meta | undefined;
  /** Block of the newest event in the answer, decimal digits: the page then says when it will be final. */
  readonly newestEvent?: string | undefined;
}

/**
 * The block that an answer was read as of, and how final its newest event is: two answers as of one block may
 * differ in that.
 */
export function AsOf({ meta, newestEvent }: AsOfProps) {
  const finalized = useStatus().data?.data.finalized;
  // Its place is there before it: nothing below it moves.
  if (meta === undefined) return <p className={styles.asOf} aria-hidden="true" />;
  const { chain } = meta;
  if (chain === undefined) return null;
  const toGo =
    chain.finality === 'finalized' || newestEvent === undefined || finalized == null
      ? 0n
      : BigInt(newestEvent) - BigInt(finalized);
  return (
    <>
      <p className={styles.asOf}>
        <span>
          As of block {groupDigits(chain.blockNumber)}, <Time at={chain.blockTimestamp} />.
        </span>
        <span>
          Newest event: <Finality value={chain.finality} />
          {toGo > 0n && `, ${countOf(toGo, 'block')} to go`}
        </span>
      </p>
      {chain.stopped?.campaigns.map((stopped) => (
        <StoppedNote key={stopped.campaignId} {...stopped} />
      ))}
      {chain.reorg && (
        <p role="note">The chain is replacing blocks. What is shown may change in a moment.</p>
      )}
    </>
  );
}

type Stopped = NonNullable<NonNullable<Meta['chain']>['stopped']>['campaigns'][number];

/** Says that settlement has stopped a campaign, and why: what is shown of it may be wrong. */
function StoppedNote({ campaignId, since, reason }: Stopped) {
  return (
    <p role="note">
      <strong>Campaign {campaignId} has been stopped</strong> since <Time exact at={since} />:{' '}
      {reason}. What is shown of it may be outdated, or from blocks that the chain has replaced.
    </p>
  );
}

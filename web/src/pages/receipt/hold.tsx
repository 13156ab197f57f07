import { useEffect, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { Explain } from '../../components/explain.tsx';
import { Time } from '../../components/time.tsx';
import { duration } from '../../format.ts';
import type { Receipt } from './arithmetic.ts';
import styles from './receipt.module.css';

interface HoldProps {
  readonly receipt: Receipt;
  /** Time of the newest settled block, ISO 8601. */
  readonly chainTime: string | undefined;
}

/** How long rewards are held still, by the chain's clock and not by the reader's. */
export function Hold({ receipt, chainTime }: HoldProps) {
  const now = useChainClock(chainTime);
  const { holdUntil, holdSeconds } = receipt.hold;
  const left = now === undefined ? undefined : Math.ceil((Date.parse(holdUntil) - now) / 1_000);
  return (
    <Card title="Hold">
      <div className="stack">
        <p className={styles.clock}>{holdState(receipt, left)}</p>
        <p className="soft">
          Rewards are on <Explain term="hold">hold</Explain> for {duration(holdSeconds)}, until{' '}
          <Time exact at={holdUntil} />. Counted in block time; between blocks we estimate with your
          clock.
        </p>
      </div>
    </Card>
  );
}

function holdState({ state, finalizedAt }: Receipt, left: number | undefined): string {
  if (state === 'refunded') return 'Refunded: nothing is on hold.';
  if (state === 'reversed') return 'Reversed: claimable rewards went back to the vault.';
  if (state === 'finalized') {
    return finalizedAt === null ? 'Finalized' : 'Over: the sale is finalized.';
  }
  if (left === undefined) return 'The chain’s time is not known.';
  return left > 0 ? `${duration(left)} left` : 'Over: anyone can finalize the sale now.';
}

/** The chain's time now, in milliseconds: that of its newest block, and what went by since. */
function useChainClock(chainTime: string | undefined): number | undefined {
  const [now, setNow] = useState<number>();
  useEffect(() => {
    if (chainTime === undefined) return;
    const block = Date.parse(chainTime);
    const receivedAt = performance.now();
    const tick = () => setNow(block + performance.now() - receivedAt);
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [chainTime]);
  return now;
}

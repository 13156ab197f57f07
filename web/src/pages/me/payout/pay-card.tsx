import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/session.ts';
import { api, type DataOf, useApi } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Explain } from '../../../components/explain.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { Issue } from '../../../components/issue.tsx';
import { Time } from '../../../components/time.tsx';
import styles from '../me.module.css';
import { Payout } from './payout.tsx';
import { preparePayout } from './prepare.ts';

type Summary = DataOf<typeof api.earnings.summary>;
type TokenSummary = Summary['byToken'][number];

/** Money of the account now, and the button that pays all of it. */
export function PayCard({ address }: { readonly address: string }) {
  const query = useApi([MINE, 'earnings.summary'], api.earnings.summary, {});
  const plan = useMutation({ mutationFn: preparePayout });
  return (
    <Card title="Your money" aside={<AsOf meta={query.data?.meta} />}>
      <Answered query={query} what="your earnings" size={[14.1, 32.2]}>
        {({ data }) => (
          <div className="stack">
            <Balances summary={data} />
            {plan.data === undefined && isDue(data) && (
              <div>
                <Button main disabled={plan.isPending} onClick={() => plan.mutate()}>
                  {plan.isPending ? 'Preparing…' : 'Pay me everything'}
                </Button>
              </div>
            )}
          </div>
        )}
      </Answered>
      <Issue of={plan.error} />
      {plan.data && (
        <section className={styles.plan} aria-label="Payout">
          <h3>Payout</h3>
          <Payout
            key={String(plan.submittedAt)}
            plan={plan.data}
            address={address}
            onNext={() => plan.mutate()}
            onClose={() => plan.reset()}
          />
        </section>
      )}
    </Card>
  );
}

/** True if something can be claimed, now or after finalizing. */
const isDue = ({ byToken }: Summary): boolean =>
  byToken.some(
    ({ rewards }) => BigInt(rewards.claimable) > 0n || BigInt(rewards.readyToFinalize) > 0n,
  );

function Balances({ summary: { byToken, nextReleaseAt } }: { readonly summary: Summary }) {
  if (byToken.length === 0) {
    return (
      <Empty>
        You have no rewards yet. <Link href={pathOf('join')}>Join a campaign</Link>, and share your
        link.
      </Empty>
    );
  }
  return (
    <>
      {byToken.map((one) => (
        <Balance key={one.token.address} {...one} />
      ))}
      {nextReleaseAt && (
        <p className="soft">
          The next hold is over <Time at={nextReleaseAt} />.
        </p>
      )}
    </>
  );
}

function Balance({ token, rewards, missed }: TokenSummary) {
  const rows = [
    ['claimable', 'claimable', rewards.claimable],
    ['readyToFinalize', 'readyToFinalize', rewards.readyToFinalize],
    ['atRisk', 'onHold', rewards.atRisk],
    ['claimed', 'claimed', rewards.claimed],
    ['refunded', 'refunded', rewards.refunded],
    ['reversed', 'reversed', rewards.reversed],
    ['missed', 'missed', missed],
  ] as const;
  // What never happened to the account needs no line; the first four say what it has.
  const shown = rows.filter(([, , amount], i) => i < 4 || BigInt(amount) > 0n);
  return (
    <section aria-label={`Rewards in ${token.symbol}`}>
      <dl className={`${styles.tokens} ${styles.big}`}>
        {shown.map(([name, term, amount]) => (
          <div key={name}>
            <dt>
              <Explain term={term} />
            </dt>
            <dd>
              <Amount value={amount} token={token} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

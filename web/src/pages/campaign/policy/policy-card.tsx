import { nextPolicyOf } from '../../../../../engine/core/campaign.ts';
import { api, type DataOf, useApi } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { Facts } from '../../../components/facts.tsx';
import { Hash } from '../../../components/hash.tsx';
import { Time } from '../../../components/time.tsx';
import { count, countOf, duration, percent, type Unit } from '../../../format.ts';
import type { CampaignLedgers } from '../../../ledger/campaign-ledgers.ts';
import { type Budget, coveredSales } from '../../../ledger/covered-sales.ts';
import styles from '../campaign.module.css';
import { capOf, policyWords } from './policy-words.ts';

type Policy = DataOf<typeof api.campaigns.policy>['current'];

interface PolicyCardProps {
  readonly campaign: CampaignLedgers['campaign'];
}

/** The policy in effect, in words and in numbers, and the versions that wait for their time. */
export function PolicyCard({ campaign }: PolicyCardProps) {
  const { campaignId, token } = campaign;
  const query = useApi(['campaigns.policy'], api.campaigns.policy, { campaignId });
  return (
    <Card title="Reward policy" id="policy">
      <Answered query={query} what="The policy">
        {({ data: { current, scheduled } }) => (
          <>
            <PolicyText policy={current} token={token} budget={campaign} />
            {scheduled.map((policy) => (
              <div key={policy.version} className={styles.versions}>
                <h3>
                  {policy.version === nextOf(scheduled) ? 'Next' : 'Waiting'}: version{' '}
                  {policy.version}, from <Time exact at={policy.effectiveAt} />
                </h3>
                <PolicyText policy={policy} token={token} budget={campaign} />
              </div>
            ))}
          </>
        )}
      </Answered>
    </Card>
  );
}

/** Number of the version that takes effect next. */
function nextOf(scheduled: readonly Policy[]): number | undefined {
  const times = scheduled.map(({ version, effectiveAt }) => ({
    version,
    effectiveAt: Date.parse(effectiveAt),
  }));
  return nextPolicyOf(times)?.version;
}

interface PolicyTextProps {
  readonly policy: Policy;
  readonly token: Unit;
  readonly budget: Budget;
}

function PolicyText({ policy, token, budget }: PolicyTextProps) {
  return (
    <>
      <ul className={styles.policyWords}>
        {policyWords(policy, token).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Facts
        facts={[
          ['Version', `${policy.version}`],
          ['In effect from', <Time key="from" at={policy.effectiveAt} />],
          ['Commission', percent(policy.commissionBps)],
          ['Weights, level 1 first', policy.weightsBps.map(percent).join(' · ')],
          ['Cap of a sale', <Cap key="sale" cap={policy.perSaleCap} token={token} />],
          [
            'Cap of the campaign',
            <Cap key="all" cap={policy.campaignLiabilityCap} token={token} />,
          ],
          ['Budget left', budgetLeft(budget, policy)],
          ['Short paths', shortPaths[policy.shortPathMode]],
          ['Hold', duration(policy.holdSeconds)],
          ['Self-referral', policy.excludesSelfReferral ? 'Excluded' : 'Allowed'],
          ['Policy expires', <Time key="expiry" at={policy.expiry} />],
          ['Regions', policy.regions.join(', ') || 'Everywhere'],
          ['Sharing rules', policy.sharingRules.join(' · ') || 'None'],
          ['Sales under it', salesOf(policy)],
          ['Policy hash', <Hash key="hash" value={policy.policyHash} label="policy hash" />],
          [
            'Registered',
            policy.registrationTx && (
              <Hash
                value={policy.registrationTx.hash}
                label="transaction hash"
                href={policy.registrationTx.explorerUrl}
              />
            ),
          ],
        ]}
      />
    </>
  );
}

const shortPaths = {
  RENORMALIZE_EXISTING: 'Existing levels share the full reward',
  RETURN_UNUSED: 'The rest stays in the vault',
} as const;

function Cap({ cap, token }: { readonly cap: string; readonly token: Unit }) {
  const amount = capOf(cap);
  return amount === null ? 'None' : <Amount value={amount} token={token} />;
}

/** How many more sales the vault covers by a policy. */
function budgetLeft(budget: Budget, policy: Policy): string {
  const covered = coveredSales(budget, policy);
  return covered === null
    ? 'Covers any number of sales'
    : `Covers ${countOf(covered, 'more sale')}`;
}

const salesOf = ({ salesCount }: Policy): string | null =>
  salesCount === undefined ? null : count(salesCount);

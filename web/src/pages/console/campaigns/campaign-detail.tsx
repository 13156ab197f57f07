import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { useApi, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card, Cards } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Explain } from '../../../components/explain.tsx';
import { type FactLine, Facts } from '../../../components/facts.tsx';
import { ListCard, PagedTable } from '../../../components/list.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { Time } from '../../../components/time.tsx';
import { count, countOf, duration, groupDigits, percent, shortHex } from '../../../format.ts';
import { coveredSales } from '../../../ledger/covered-sales.ts';
import { policyWords } from '../../campaign/policy/policy-words.ts';
import { useActing } from '../acting.tsx';
import { CampaignBadge } from '../campaign-badge.tsx';
import { operationPath, productPath, sectionPath } from '../paths.ts';
import { AttestersCard } from './attesters-card.tsx';
import styles from './campaigns.module.css';
import type { Campaign } from './operations/operation.ts';
import { OperationsTab } from './operations/operations-tab.tsx';
import { SettingsCard } from './settings-card.tsx';

/** One campaign as its merchant runs it. */
export function CampaignDetail({ campaignId }: { readonly campaignId: string }) {
  const { api, key } = useActing();
  const query = useApi([...key, 'campaigns.get'], api.campaigns.get, { campaignId });
  return (
    <>
      <p>
        <Link href={sectionPath('campaigns')}>All campaigns</Link>
      </p>
      <Answered query={query} what={`Campaign ${campaignId}`}>
        {({ data }) => <Detail campaign={data} />}
      </Answered>
    </>
  );
}

function Detail({ campaign }: { readonly campaign: Campaign }) {
  const { campaignId, state, product } = campaign;
  return (
    <div>
      <div className={styles.head}>
        <h2>
          {campaignId} · {product.title}
        </h2>
        <CampaignBadge state={state} />
        <Link href={pathOf('campaign', { campaignId })}>Public page</Link>
      </div>
      <Tabs
        label="Parts of the campaign"
        tabs={[
          { id: 'overview', title: 'Overview', content: <Overview campaign={campaign} /> },
          { id: 'operations', title: 'Operations', content: <OperationsTab campaign={campaign} /> },
          { id: 'policy', title: 'Policy', content: <Policies campaign={campaign} /> },
          { id: 'prices', title: 'Prices', content: <Prices campaign={campaign} /> },
          {
            id: 'distributors',
            title: 'Distributors',
            content: <Distributors campaign={campaign} />,
          },
          ...(campaign.trustMode === 'THIRD_PARTY_VERIFIED'
            ? [
                {
                  id: 'attesters',
                  title: 'Attesters',
                  content: <AttestersCard campaign={campaign} />,
                },
              ]
            : []),
          {
            id: 'settings',
            title: 'Settings',
            content: <SettingsCard campaignId={campaignId} />,
          },
        ]}
      />
    </div>
  );
}

interface Props {
  readonly campaign: Campaign;
}

/** Sales of a budget at which more money is advised. */
const FEW_SALES = 10n;

function Overview({ campaign }: Props) {
  const { campaignId, state, policy } = campaign;
  const covered = coveredSales(campaign, policy);
  const isOver = state === 'ENDED' || state === 'EXPIRED';
  return (
    <Cards>
      {!isOver && covered !== null && covered < FEW_SALES && (
        <Panel tone="warn" title={`The vault bears ${countOf(covered, 'more sale')}`}>
          <p>
            Later sales pay their links less, or nothing.{' '}
            <Link href={operationPath(campaignId, 'fund')}>Deposit rewards</Link>
          </p>
        </Panel>
      )}
      <MoneyCard campaign={campaign} covered={covered} />
      <SalesCard campaign={campaign} />
    </Cards>
  );
}

interface MoneyCardProps extends Props {
  /** Sales that the budget bears; `null` for any number. */
  readonly covered: bigint | null;
}

function MoneyCard({ campaign, covered }: MoneyCardProps) {
  const { price, token, rewardLedger, proceedsLedger } = campaign;
  const amount = (name: string, value: string): FactLine => [
    name,
    <Amount key={name} value={value} token={token} />,
  ];
  return (
    <Card title="Money">
      <Facts
        facts={[
          amount('Price', price),
          ['Budget bears', covered === null ? 'any number of sales' : countOf(covered, 'sale')],
          amount('Available in the vault', rewardLedger.available),
          amount('Reserved for sales on hold', rewardLedger.pendingReserved),
          amount('Claimable by distributors', rewardLedger.vestedUnclaimed),
          amount('Claimed by distributors', rewardLedger.rewardsClaimed),
          amount('Proceeds on hold', proceedsLedger.proceedsPending),
          amount('Proceeds to claim', proceedsLedger.proceedsClaimable),
        ]}
      />
    </Card>
  );
}

function SalesCard({ campaign }: Props) {
  const { counts, capacity, nodeCount, product } = campaign;
  const sales = counts.pending + counts.finalized + counts.refunded;
  return (
    <Card title="Sales and links">
      <Facts
        facts={[
          ['Sales on hold', count(counts.pending)],
          ['Completed sales', count(counts.finalized)],
          ['Refunded sales', count(counts.refunded)],
          ['Sales, of capacity', `${count(sales)} of ${groupDigits(`${capacity.sales}`)}`],
          ['Links, of capacity', `${count(nodeCount)} of ${groupDigits(`${capacity.nodes}`)}`],
          ['Who may join', campaign.inviteOnly ? 'By invitation' : 'Everyone'],
          ['Links of an account', groupDigits(`${campaign.nodesPerAccount}`)],
          ['Starts', <Time key="from" at={campaign.startsAt} />],
          ['Ends', <Time key="to" at={campaign.endsAt} />],
          ['Trust', trustNames[campaign.trustMode]],
          [
            'Product',
            <Link key="product" href={productPath(product.id)}>
              {product.title}
            </Link>,
          ],
        ]}
      />
    </Card>
  );
}

const trustNames = {
  NATIVE_ONCHAIN: 'Paid on the chain',
  MERCHANT_ATTESTED: 'You vouch for sales',
  THIRD_PARTY_VERIFIED: 'An attester vouches for sales',
} as const;

function Policies({ campaign: { campaignId, token } }: Props) {
  const { api, key } = useActing();
  const pages = usePages([...key, 'policies.list'], api.policies.list, { campaignId, limit: 20 });
  return (
    <ListCard
      title="Versions of the policy"
      aside={<Link href={operationPath(campaignId, 'schedulePolicy')}>Schedule a policy</Link>}
      caption="Policies of the campaign"
      pages={pages}
      rowKey={({ version }) => `${version}`}
      empty="There is no policy."
      columns={[
        { name: 'Version', cell: ({ version, status }) => `${version} (${status})` },
        { name: 'In effect from', cell: ({ effectiveAt }) => <Time at={effectiveAt} /> },
        { name: 'Reward', numeric: true, cell: (policy) => percent(policy.commissionBps) },
        { name: 'Levels', cell: ({ weightsBps }) => weightsBps.map(percent).join(' · ') },
        { name: 'Hold', cell: ({ holdSeconds }) => duration(holdSeconds) },
        { name: 'Sales', numeric: true, cell: ({ salesCount }) => salesCount },
        { name: 'In words', cell: (policy) => policyWords(policy, token)[0] },
      ]}
    />
  );
}

function Prices({ campaign: { campaignId, token } }: Props) {
  const { api, key } = useActing();
  const query = useApi([...key, 'prices.list'], api.prices.list, {
    campaignId,
    current: true,
    limit: 100,
  });
  return (
    <Card
      title="Prices on the chain"
      aside={<Link href={operationPath(campaignId, 'priceVariant')}>Change a price</Link>}
    >
      <Answered query={query} what="The prices">
        {({ data }) => (
          <DataTable
            caption="Current prices"
            rows={data.items}
            rowKey={({ skuHash }) => skuHash}
            columns={[
              {
                name: 'Of',
                cell: ({ isOwnSku, variant, skuHash }) =>
                  isOwnSku ? 'The product' : (variant?.name ?? shortHex(skuHash)),
              },
              column.amountIn(token, 'Price', 'price'),
              { name: 'Since', cell: ({ tx }) => (tx.at ? <Time at={tx.at} /> : tx.blockNumber) },
            ]}
          />
        )}
      </Answered>
    </Card>
  );
}

function Distributors({ campaign: { campaignId, token, inviteOnly } }: Props) {
  const { api, key } = useActing();
  const pages = usePages([...key, 'campaigns.distributors'], api.campaigns.distributors, {
    campaignId,
    sort: 'rewards',
    limit: 20,
  });
  return (
    <Card
      title="Distributors"
      aside={
        inviteOnly && (
          <Link href={operationPath(campaignId, 'allowDistributors')}>Change the allow-list</Link>
        )
      }
    >
      <PagedTable
        caption="Distributors of the campaign"
        pages={pages}
        rowKey={({ address, pseudonym, firstJoinedAt }) => address ?? pseudonym ?? firstJoinedAt}
        empty="No distributor has joined yet."
        columns={[
          {
            name: 'Distributor',
            cell: ({ address, handle, pseudonym }) =>
              address === null ? (
                `Pseudonym ${pseudonym}`
              ) : (
                <Link href={pathOf('distributor', { address })}>{handle ?? shortHex(address)}</Link>
              ),
          },
          { name: 'Links', numeric: true, cell: ({ linkCount }) => linkCount },
          { name: 'Sales', numeric: true, cell: ({ recordedSales }) => recordedSales },
          column.amountIn(token, 'On hold', 'rewards.atRisk'),
          column.amountIn(token, 'Claimable', 'rewards.claimable'),
          column.amountIn(token, 'Claimed', 'rewards.claimed'),
          {
            name: 'Allowed',
            cell: ({ allowed }) => (allowed === null ? 'everyone is' : allowed ? 'yes' : 'no'),
          },
        ]}
      />
      <p className="soft">
        Explained: <Explain term="link" />, <Explain term="claimable" />.
      </p>
    </Card>
  );
}

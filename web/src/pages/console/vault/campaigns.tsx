import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type DataOf, api as publicApi, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { ListCard } from '../../../components/list.tsx';
import { useActing } from '../acting.tsx';
import { CampaignBadge } from '../campaign-badge.tsx';
import { nameOf } from '../own-campaigns.tsx';
import { sectionPath } from '../paths.ts';

/** Campaigns of one page: the ledgers of each are a request. */
const PAGE = 15;

type Campaign = DataOf<typeof publicApi.campaigns.get>;

/** Vault and proceeds of each campaign, with a way to its transactions. */
export function Campaigns() {
  const { api, key } = useActing();
  const pages = usePages([...key, 'campaigns.mine'], api.campaigns.mine, {
    kind: 'campaign',
    limit: PAGE,
  });
  const ids = pages.items.map(({ campaign }) => campaign?.campaignId ?? '');
  const details = useQuery({
    queryKey: [...key, 'campaigns.get', ids],
    enabled: ids.length > 0,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, Campaign>> => {
      const read = ids.map(
        async (campaignId) => (await publicApi.campaigns.get({ campaignId }, { signal })).data,
      );
      return new Map((await Promise.all(read)).map((one) => [one.campaignId, one]));
    },
    placeholderData: (before) => before,
  });
  const amountOf = (id: string | undefined, pick: (campaign: Campaign) => string) => {
    const campaign = details.data?.get(id ?? '');
    return campaign === undefined ? '…' : <Amount value={pick(campaign)} token={campaign.token} />;
  };
  return (
    <ListCard
      title="Claim and withdraw, by campaign"
      caption="Campaigns"
      pages={pages}
      size={[7.4, 24.4]}
      empty="There is no campaign on the chain yet. Once one sells, you claim its proceeds and withdraw unused rewards here."
      rowKey={({ campaign }) => campaign?.campaignId ?? ''}
      columns={[
        {
          name: 'Campaign',
          cell: (own) => (
            <Link href={`${sectionPath('vault')}?campaign=${own.campaign?.campaignId}`}>
              {nameOf(own)}
            </Link>
          ),
        },
        { name: 'State', cell: ({ state }) => <CampaignBadge state={state} /> },
        {
          name: 'Proceeds to claim',
          numeric: true,
          cell: ({ campaign }) =>
            amountOf(campaign?.campaignId, (one) => one.proceedsLedger.proceedsClaimable),
        },
        {
          name: 'Proceeds on hold',
          numeric: true,
          cell: ({ campaign }) =>
            amountOf(campaign?.campaignId, (one) => one.proceedsLedger.proceedsPending),
        },
        {
          name: 'Free for rewards',
          numeric: true,
          cell: ({ campaign }) =>
            amountOf(campaign?.campaignId, (one) => one.rewardLedger.available),
        },
        {
          name: 'Next',
          cell: (own) => (
            <Link
              href={`${sectionPath('vault')}?campaign=${own.campaign?.campaignId}`}
              aria-label={`Claim or withdraw: ${nameOf(own)}`}
            >
              Claim or withdraw
            </Link>
          ),
        },
      ]}
    />
  );
}

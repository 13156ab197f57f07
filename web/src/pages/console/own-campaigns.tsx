import type { Client } from '../../../../engine/client/index.ts';
import { type DataOf, useApi } from '../../api.ts';
import { FilterSelect } from '../../filters/filter-bar.tsx';
import type { FilterOptions, Filters } from '../../filters/use-filters.ts';
import { useActing } from './acting.tsx';

/** A campaign or a draft of the merchant. */
export type OwnCampaign = DataOf<Client['campaigns']['mine']>['items'][number];

/** Largest number of campaigns that choices and the overview read. */
const MAX_CAMPAIGNS = 100;

/** Drafts and campaigns of the merchant: drafts first, then the newest 100 altogether. */
export function useOwnCampaigns() {
  const { api, key } = useActing();
  return useApi([...key, 'campaigns.mine'], api.campaigns.mine, { limit: MAX_CAMPAIGNS });
}

/** Name of a campaign: the merchant's own for it, or else its product's. */
export function nameOf({ campaign, draft, settings }: OwnCampaign): string {
  if (campaign === null) return draft?.draft.name ?? draft?.id ?? 'Draft';
  return `${settings?.name ?? campaign.product.title} (${campaign.campaignId})`;
}

/** The merchant's campaigns as options of a field. */
export function useCampaignOptions(): FilterOptions {
  const items = useOwnCampaigns().data?.data.items ?? [];
  return items.flatMap((own) =>
    own.campaign === null ? [] : [[own.campaign.campaignId, nameOf(own)] as const],
  );
}

/** A filter by one of the merchant's campaigns. */
export function CampaignFilter({ filters }: { readonly filters: Filters<'campaign'> }) {
  const options = [['', 'All'] as const, ...useCampaignOptions()];
  return <FilterSelect filters={filters} name="campaign" label="Campaign" options={options} open />;
}

import type { Client } from '../../../../engine/client/index.ts';
import { type DataOf, useApi } from '../../api.ts';
import { SelectField } from '../../components/select-field.tsx';
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

interface SelectProps {
  readonly id: string;
  readonly label?: string;
  readonly value: string;
  readonly onChange: (campaignId: string) => void;
  /** Text of the choice without a campaign; there is none without it. */
  readonly all?: string;
}

/** A choice of one of the merchant's campaigns. */
export function CampaignSelect({ id, label = 'Campaign', value, onChange, all }: SelectProps) {
  const { data } = useOwnCampaigns();
  return (
    <SelectField
      id={id}
      label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {all !== undefined && <option value="">{all}</option>}
      {data?.data.items.map((own) =>
        own.campaign === null ? null : (
          <option key={own.campaign.campaignId} value={own.campaign.campaignId}>
            {nameOf(own)}
          </option>
        ),
      )}
    </SelectField>
  );
}

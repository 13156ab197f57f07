import { useSearchParams } from 'wouter';
import { CampaignDetail } from './campaign-detail.tsx';
import { CampaignsList } from './campaigns-list.tsx';
import { Wizard } from './wizard/index.tsx';

/** Campaigns of the merchant: the list, the campaign that `?campaign=` names, or the wizard with `?draft=`. */
export default function CampaignsSection() {
  const [params] = useSearchParams();
  const [campaignId, draftId] = [params.get('campaign'), params.get('draft')];
  if (campaignId !== null) return <CampaignDetail key={campaignId} campaignId={campaignId} />;
  if (draftId !== null) return <Wizard key={draftId} draftId={draftId} />;
  return <CampaignsList />;
}

import { useSearchParams } from 'wouter';
import { CampaignVault } from './campaign-vault.tsx';
import { Campaigns } from './campaigns.tsx';
import { Movements } from './movements.tsx';
import { Totals } from './totals.tsx';

/** Rewards vaults and proceeds: totals by token, one campaign (`?campaign=`), and every movement. */
export default function VaultSection() {
  const [params] = useSearchParams();
  const campaign = params.get('campaign');
  if (campaign !== null) return <CampaignVault key={campaign} campaignId={campaign} />;
  return (
    <>
      <Campaigns />
      <Totals />
      <Movements />
    </>
  );
}

export default function CampaignsSection() {
  return null;
}

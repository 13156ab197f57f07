import { useSearchParams } from 'wouter';
import { PartnerList } from './partner-list.tsx';
import { PartnerView } from './partner-view.tsx';

/** Distributors of the merchant, or one of them (`?partner=`). */
export default function PartnersSection() {
  const [params] = useSearchParams();
  const address = params.get('partner');
  return address === null ? <PartnerList /> : <PartnerView key={address} address={address} />;
}

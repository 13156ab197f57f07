import { useSearchParams } from 'wouter';
import { DisputeList } from './dispute-list.tsx';
import { DisputeView } from './dispute-view.tsx';

/** Refund requests of buyers, or one of them (`?dispute=`). */
export default function DisputesSection() {
  const [params] = useSearchParams();
  const id = params.get('dispute');
  return id === null ? <DisputeList /> : <DisputeView key={id} id={id} />;
}

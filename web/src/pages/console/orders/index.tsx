import { useSearchParams } from 'wouter';
import { OrderList } from './order-list.tsx';
import { OrderView } from './order-view.tsx';

/** Orders of the merchant's campaigns, or one of them (`?sale=`). */
export default function OrdersSection() {
  const [params] = useSearchParams();
  const sale = params.get('sale');
  return sale === null ? <OrderList /> : <OrderView key={sale} saleId={sale} />;
}

import { useSearchParams } from 'wouter';
import { usePages } from '../../../api.ts';
import { HeadAction } from '../../../components/head-action.tsx';
import { useActing } from '../acting.tsx';
import { NewProduct } from './new-product.tsx';
import { ProductList } from './product-list.tsx';
import { ProductPage } from './product-page.tsx';

/** Products of the merchant: the list, or the product that `?product=` names. */
export default function ProductsSection() {
  const [params] = useSearchParams();
  const productId = params.get('product');
  return productId === null ? <Products /> : <ProductPage key={productId} productId={productId} />;
}

function Products() {
  const { api, key } = useActing();
  const pages = usePages([...key, 'products.list'], api.products.list, { limit: 20 });
  return (
    <>
      <HeadAction>
        <NewProduct />
      </HeadAction>
      <ProductList pages={pages} />
    </>
  );
}

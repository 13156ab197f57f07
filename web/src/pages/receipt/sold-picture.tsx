import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, useApi } from '../../api.ts';
import { Thumbnail } from '../../components/pictures.tsx';
import type { Receipt } from './arithmetic.ts';

/** Cover of the version that was sold, with the way to the product; nothing if its merchant described none. */
export function SoldPicture({ receipt }: { readonly receipt: Receipt }) {
  const { product, productVersion } = receipt;
  if (productVersion === null) return null;
  return <Described id={product.id} version={productVersion} title={product.title} />;
}

interface DescribedProps {
  readonly id: string;
  readonly version: number;
  readonly title: string;
}

function Described({ id, version, title }: DescribedProps) {
  const query = useApi(['versions.get'], api.versions.get, { id, version });
  return (
    <p className="actions">
      {query.data && <Thumbnail product={query.data.data} />}
      <Link href={pathOf('product', { productId: id })}>{title}</Link>
    </p>
  );
}

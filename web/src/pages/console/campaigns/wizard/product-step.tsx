import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { Amount } from '../../../../components/amount.tsx';
import { Check } from '../../../../components/check.tsx';
import { Empty } from '../../../../components/empty.tsx';
import { Form } from '../../../../components/form.tsx';
import { productPath, sectionPath } from '../../paths.ts';
import { missingNames } from '../../products/product-values.ts';
import styles from '../campaigns.module.css';
import type { Product, StepProps } from './draft.ts';

/** The product that the campaign sells: one that is ready. */
export function ProductStep({
  draft,
  products,
  onSave,
}: StepProps & { readonly products: readonly Product[] }) {
  const form = useForm({ defaultValues: { productId: draft.draft.productId ?? '' } });
  const shown = products.filter(({ status }) => status !== 'archived');
  if (shown.length === 0) {
    return (
      <Empty>
        You have no products yet. <Link href={sectionPath('products')}>Create a product</Link>, make
        it ready for sale, and come back: this draft is stored.
      </Empty>
    );
  }
  async function save({ productId }: { productId: string }) {
    const product = products.find(({ id }) => id === productId);
    if (product === undefined || product.token === null) throw new Error('Choose a product.');
    const isNew = productId !== draft.draft.productId;
    // Another product may have another token: then its price replaces the one that was entered.
    await onSave({
      productId,
      token: product.token.address,
      ...(isNew ? { price: product.priceBaseUnits } : {}),
    });
  }
  return (
    <Form form={form} onSubmit={save} name="Continue">
      <div className={styles.choices} role="radiogroup" aria-label="Product">
        {shown.map((product) => (
          <div key={product.id} className={styles.choice}>
            <Check
              radio
              value={product.id}
              disabled={product.status !== 'ready'}
              {...form.register('productId')}
              label={product.title || 'Without a title'}
              hint={<ProductHint product={product} />}
            />
            {product.status === 'draft' && <Link href={productPath(product.id)}>Complete it</Link>}
          </div>
        ))}
      </div>
    </Form>
  );
}

function ProductHint({ product }: { readonly product: Product }) {
  const { status, token, priceBaseUnits, missing, category } = product;
  if (status === 'draft') {
    return missing.length === 0
      ? 'Not ready for sale yet.'
      : `It still needs ${missing.map((part) => missingNames[part]).join(', ')}.`;
  }
  return (
    <>
      {token && <Amount value={priceBaseUnits} token={token} />} · {category}
    </>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type UseFormReturn, useFieldArray, useForm, useWatch } from 'react-hook-form';
import { api as publicApi, useApi } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { Check } from '../../../components/check.tsx';
import { Field } from '../../../components/field.tsx';
import { FieldGroup, FieldRow, Form } from '../../../components/form.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { inputOf, optional, sending } from '../../../form-issues.ts';
import { shortHex } from '../../../format.ts';
import { readPositive } from '../../../read-input.ts';
import { useActing, useMay } from '../acting.tsx';
import { fileSize } from './file-size.ts';
import { ProductMedia } from './product-media.tsx';
import {
  bodyOf,
  fieldOfBody,
  OTHER_TOKEN,
  type OwnProduct,
  type ProductBody,
  type ProductValues,
  valuesOf,
} from './product-values.ts';

/** All fields of a product. Saving a product that is ready makes a new version of it. */
export function ProductForm({ product }: { readonly product: OwnProduct }) {
  const { api, key } = useActing();
  const may = useMay('admin');
  const queries = useQueryClient();
  const form = useForm<ProductValues>({ defaultValues: valuesOf(product) });
  const [media, setMedia] = useState(product.media);
  const { isDirty, isSubmitting } = form.formState;
  const tokens = useTokens();
  const chosen = useWatch({ control: form.control, name: 'token' });
  const known = [...(product.token ? [product.token] : []), ...tokens];
  const decimals = known.find(({ address }) => address === chosen)?.decimals;

  async function save(values: ProductValues, status: ProductBody['status']) {
    const body = bodyOf(values, product, status, decimals);
    const { data } = await api.products.save({ id: product.id, product: body });
    form.reset(valuesOf(data));
    setMedia(data.media);
    await Promise.all(
      ['product', 'products.list'].map((name) =>
        queries.invalidateQueries({ queryKey: [...key, name] }),
      ),
    );
  }
  const saveAs = (status: ProductBody['status']) =>
    sending(form, (values) => save(values, status), fieldOfBody);
  const statusButton = (status: ProductBody['status'], name: string) => (
    <Button disabled={!may || isSubmitting} onClick={() => void saveAs(status)()}>
      {name}
    </Button>
  );
  return (
    <Form
      form={form}
      onSubmit={(values) => save(values, product.status)}
      fieldOf={fieldOfBody}
      disabled={!may}
      name={product.status === 'draft' ? 'Save draft' : 'Save'}
      aside={
        <>
          {product.status !== 'ready' && statusButton('ready', 'Save and make ready for sale')}
          {product.status === 'ready' && statusButton('archived', 'Archive')}
          {isDirty && <span className="soft">Not saved yet.</span>}
        </>
      }
    >
      <Texts form={form} />
      <Prices form={form} product={product} tokens={known} decimals={decimals} />
      <FieldGroup title="Pictures and files">
        <ProductMedia
          productId={product.id}
          form={form}
          media={media}
          onUploaded={(item) => setMedia((old) => [...old, item])}
        />
      </FieldGroup>
      <Delivery form={form} downloads={media.filter(({ kind }) => kind === 'download')} />
    </Form>
  );
}

/** Tokens that campaigns use. */
function useTokens() {
  const query = useApi(['tokens.list'], publicApi.tokens.list, { limit: 100 });
  return query.data?.data.items.map(({ token }) => token) ?? [];
}

type ProductFormState = UseFormReturn<ProductValues>;

function Texts({ form }: { readonly form: ProductFormState }) {
  return (
    <>
      <FieldRow>
        <Field label="Title" maxLength={200} {...inputOf(form, 'title')} />
        <Field
          label="Category"
          hint="Where people find it: Coffee, Courses, Software."
          maxLength={200}
          {...inputOf(form, 'category')}
        />
      </FieldRow>
      <TextField
        label="Summary"
        hint="One or two sentences for lists, at most 500 characters."
        rows={2}
        maxLength={500}
        {...inputOf(form, 'summary')}
      />
      <TextField
        label="What the buyer gets"
        hint="At most 500 characters."
        rows={2}
        maxLength={500}
        {...inputOf(form, 'outcome')}
      />
      <TextField
        label="Description"
        rows={6}
        maxLength={20_000}
        {...inputOf(form, 'description')}
      />
    </>
  );
}

interface PricesProps {
  readonly form: ProductFormState;
  readonly product: OwnProduct;
  readonly tokens: readonly { readonly address: string; readonly symbol: string }[];
  readonly decimals: number | undefined;
}

function Prices({ form, product, tokens, decimals }: PricesProps) {
  const { control } = form;
  const variants = useFieldArray({ control, name: 'variants' });
  const token = useWatch({ control, name: 'token' });
  const unique = [...new Map(tokens.map((one) => [one.address, one])).values()];
  const priceCheck = optional((text) => readPositive(text, decimals ?? 0));
  const needed = (text: string) => (text.trim() === '' ? 'Enter a price.' : priceCheck(text));
  return (
    <FieldGroup
      title="Price"
      hint="A campaign starts with this price. Later prices are set on the chain, in the campaign."
    >
      <FieldRow>
        <SelectField label="Token" {...inputOf(form, 'token')}>
          <option value="">Choose a token</option>
          {unique.map(({ address, symbol }) => (
            <option key={address} value={address}>
              {symbol} ({shortHex(address)})
            </option>
          ))}
          <option value={OTHER_TOKEN}>Another token</option>
        </SelectField>
        {token === OTHER_TOKEN && (
          <Field
            label="Address of the token"
            hint="Save once: then the service knows its decimals, and you can enter prices."
            {...inputOf(form, 'otherToken', (text) =>
              /^0x[0-9a-fA-F]{40}$/.test(text.trim()) ? undefined : 'Enter 0x and 40 hex digits.',
            )}
          />
        )}
        <Field
          label="Price"
          inputMode="decimal"
          disabled={decimals === undefined}
          {...inputOf(form, 'price', decimals === undefined ? undefined : priceCheck)}
        />
      </FieldRow>
      {variants.fields.map(({ id }, i) => (
        <FieldRow key={id}>
          <Field
            label="Variant"
            maxLength={100}
            {...inputOf(form, `variants.${i}.name`, (text) =>
              text.trim() === '' ? 'Enter a name.' : undefined,
            )}
          />
          <Field
            label="SKU name"
            hint={skuHint(product, form.getValues(`variants.${i}.variantId`))}
            maxLength={100}
            {...inputOf(form, `variants.${i}.variantId`, (text) =>
              /^[A-Za-z0-9_-]+$/.test(text)
                ? undefined
                : 'Use letters, digits, hyphens and underscores.',
            )}
          />
          <Field
            label="Price of the variant"
            inputMode="decimal"
            disabled={decimals === undefined}
            {...inputOf(form, `variants.${i}.price`, decimals === undefined ? undefined : needed)}
          />
          <Button onClick={() => variants.remove(i)}>Remove</Button>
        </FieldRow>
      ))}
      <div>
        <Button
          disabled={decimals === undefined || variants.fields.length >= 100}
          onClick={() => variants.append({ variantId: '', name: '', price: '', skuHash: '' })}
        >
          Add a variant
        </Button>
      </div>
    </FieldGroup>
  );
}

function skuHint({ variants }: OwnProduct, variantId: string): string {
  const saved = variants.find(({ id }) => id === variantId);
  return saved ? `On the chain: ${shortHex(saved.skuHash)}` : 'Unique in the product: family-box.';
}

const askings = [
  ['no', 'Not asked for'],
  ['optional', 'Optional'],
  ['required', 'Required'],
] as const;

interface DeliveryProps {
  readonly form: ProductFormState;
  readonly downloads: readonly { readonly id: string; readonly size: number }[];
}

const modes = [
  ['download', 'A file that buyers download'],
  ['external', 'A web address that buyers open'],
  ['manual', 'You deliver it yourself'],
] as const;

function Delivery({ form, downloads }: DeliveryProps) {
  const mode = useWatch({ control: form.control, name: 'fulfillmentMode' });
  return (
    <FieldGroup title="Delivery and refunds">
      <SelectField
        label="How buyers get it"
        {...inputOf(form, 'fulfillmentMode')}
        onChange={(event) => {
          form.setValue('deliverable', '', { shouldDirty: true });
          void form.register('fulfillmentMode').onChange(event);
        }}
        options={modes}
      />
      {mode === 'download' && (
        <SelectField label="File" {...inputOf(form, 'deliverable')}>
          <option value="">
            {downloads.length === 0 ? 'Upload the file above first' : 'Choose a file'}
          </option>
          {downloads.map(({ id, size }) => (
            <option key={id} value={id}>
              {id} ({fileSize(size)})
            </option>
          ))}
        </SelectField>
      )}
      {mode === 'external' && (
        <Field
          label="Address"
          type="url"
          hint="Only buyers see it."
          maxLength={2_048}
          {...inputOf(form, 'deliverable')}
        />
      )}
      {mode === 'manual' && (
        <TextField
          label="Instructions for buyers"
          hint="What happens next: when you send it, or how they reach you. Only buyers see them."
          maxLength={2_048}
          {...inputOf(form, 'deliverable')}
        />
      )}
      <FieldRow>
        <SelectField
          label="E-mail of the buyer"
          options={askings}
          {...inputOf(form, 'asks.email')}
        />
        <SelectField
          label="Delivery address"
          options={askings}
          {...inputOf(form, 'asks.address')}
        />
        <SelectField label="Note to you" options={askings} {...inputOf(form, 'asks.note')} />
      </FieldRow>
      <p className="soft">
        The checkout asks for these before the payment. You find the answers in the order; ask only
        for what you need.
      </p>
      <div>
        <Check
          radio
          label="Buyers get it right after the payment"
          value="afterPurchase"
          {...form.register('accessTiming')}
        />
        <Check
          radio
          label="Buyers get it when the hold is over"
          hint="Until then they can be refunded."
          value="afterHold"
          {...form.register('accessTiming')}
        />
      </div>
      <TextField
        label="Refund terms"
        hint="Buyers see them before they pay, and each receipt shows those of its time."
        maxLength={5_000}
        {...inputOf(form, 'refundPolicy')}
      />
    </FieldGroup>
  );
}

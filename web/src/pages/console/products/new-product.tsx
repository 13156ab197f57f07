import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useSearchParams } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Field } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { inputOf } from '../../../form-issues.ts';
import { useActing, useMay } from '../acting.tsx';
import { newProductId } from './product-values.ts';

/** A button that creates a draft of a product, and opens it. */
export function NewProduct() {
  const [open, setOpen] = useState(false);
  const may = useMay('admin');
  return (
    <>
      <Button main disabled={!may} onClick={() => setOpen(true)}>
        New product
      </Button>
      <Dialog title="New product" open={open} onClose={() => setOpen(false)}>
        <NewProductForm />
      </Dialog>
    </>
  );
}

function NewProductForm() {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [, setParams] = useSearchParams();
  const form = useForm({ defaultValues: { title: '', category: '' } });
  async function create({ title, category }: { title: string; category: string }) {
    const { data: merchant } = await api.merchants.me();
    const { data } = await api.products.save({
      id: newProductId(merchant.slug, title),
      product: {
        version: 0,
        status: 'draft',
        title,
        category,
        summary: '',
        fulfillmentMode: 'manual',
      },
    });
    await queries.invalidateQueries({ queryKey: key });
    setParams({ product: data.id });
  }
  return (
    <Form form={form} onSubmit={create} name="Create draft">
      <Field
        label="Title"
        autoFocus
        maxLength={200}
        {...inputOf(form, 'title', (text) => (text.trim() === '' ? 'Enter a title.' : undefined))}
      />
      <Field
        label="Category"
        hint="Where people find it: Coffee, Courses, Software."
        maxLength={200}
        {...inputOf(form, 'category')}
      />
    </Form>
  );
}

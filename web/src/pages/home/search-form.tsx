import { type FormEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import styles from './search.module.css';

/** The search; what was looked for stands in the address, so that it can be passed on. */
export function SearchForm({ query }: { readonly query: string }) {
  const [text, setText] = useState(query);
  const [, navigate] = useLocation();
  const hint = useId();
  function search(event: FormEvent) {
    event.preventDefault();
    const wanted = text.trim();
    navigate(wanted === '' ? '/' : `/?q=${encodeURIComponent(wanted)}`);
  }
  return (
    <search>
      <form className={styles.form} onSubmit={search}>
        <Field
          label="Sale, campaign, address or link code"
          hint="A number, 0x and 40 hex digits, the code of a link, or a merchant’s name in addresses."
          id={hint}
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
        />
        <Button main type="submit">
          Search
        </Button>
      </form>
    </search>
  );
}

import { type FormEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import styles from './search.module.css';

/** The search form; the query is part of the address, so that it can be shared. */
export function SearchForm({ query }: { readonly query: string }) {
  const [text, setText] = useState(query);
  const [, navigate] = useLocation();
  const hint = useId();
  function search(event: FormEvent) {
    event.preventDefault();
    const entered = text.trim();
    navigate(entered === '' ? '/' : `/?q=${encodeURIComponent(entered)}`);
  }
  return (
    <search>
      <form className={styles.form} onSubmit={search}>
        <Field
          label="Sale, campaign, address or link code"
          hint="Sale or campaign number, wallet address, referral code, or merchant"
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

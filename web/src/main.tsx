// Before the styles of the components, which may add to it.
import './styles/shared.css';

import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api.ts';
import { App } from './app.tsx';
import './styles/tokens.css';
import './styles/base.css';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      {/* The policy of the pages allows no style elements. */}
      <CSPProvider disableStyleElements>
        <App />
      </CSPProvider>
    </QueryClientProvider>
  </StrictMode>,
);

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { DemoPerson } from '../../../engine/contract/demo.ts';

/** Signs in as a person of the demo, and goes to where the person has something to do. */
export function useEnter() {
  const queries = useQueryClient();
  const [path, navigate] = useLocation();
  return useMutation({
    mutationFn: async (person: DemoPerson) => {
      const { enterAs } = await import('./enter.ts');
      return await enterAs(queries, person, path);
    },
    onSuccess: (next) => {
      if (next !== path) navigate(next);
    },
  });
}

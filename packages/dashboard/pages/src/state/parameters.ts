import { useLocation, useSearch } from 'wouter-preact';

import { pathTo } from '../components/link.js';

/** The parameters in the URL, and a function that changes some of them. The others stay. */
export function useParameters() {
  const parameters = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  const change = (changes: Readonly<Record<string, string | undefined>>) =>
    navigate(pathTo(path, { ...Object.fromEntries(parameters), ...changes }), { replace: true });
  return { parameters, change };
}

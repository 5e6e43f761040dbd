// Applies the chosen theme before the first paint. In its own file, because the policy forbids inline scripts.
try {
  const theme = localStorage.getItem('tablequeue.theme');
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // Storage is blocked: use the theme of the system.
}

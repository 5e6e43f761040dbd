// Before the first paint, so that a chosen theme does not flash. A file of its own because the policy forbids inline scripts.
try {
  const theme = localStorage.getItem('tablequeue.theme');
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // Storage is blocked: the system's theme it is.
}

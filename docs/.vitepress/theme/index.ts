import { useData } from 'vitepress';
import type { Theme } from 'vitepress';
// System fonts: nothing to load.
import DefaultTheme from 'vitepress/theme-without-fonts';
import { nextTick, onMounted, watch } from 'vue';
import { useRoute } from 'vitepress';

import './style.css';

/** Pictures for dark pages follow the switch of the site. GitHub shows them by the system's setting. */
function followDarkMode(): void {
  const { isDark } = useData();
  const route = useRoute();
  const apply = () => {
    for (const source of document.querySelectorAll<HTMLSourceElement>('picture > source[media]')) {
      source.media = isDark.value ? 'all' : 'not all';
    }
  };
  onMounted(apply);
  watch([isDark, () => route.path], () => void nextTick(apply));
}

export default { extends: DefaultTheme, setup: followDarkMode } satisfies Theme;

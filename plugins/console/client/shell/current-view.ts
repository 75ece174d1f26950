/** Which views there are now, and which one is on screen. */
import { computed } from '@preact/signals'
import { route } from '../lib/shell/router.ts'
import { enabledPaths } from '../lib/instance/status.ts'
import { views, type View } from '../views/index.ts'

/** Views whose plugin is on. */
export const shownViews = computed<readonly View[]>(() =>
  views.filter(({ shownWhen }) => shownWhen === undefined || shownWhen(enabledPaths.value ?? [])),
)

/**
 * An unknown hash is the overview. As long as nobody knows what is on, a link to any view is taken at its word, and a
 * view that is on screen stays when its plugin is switched off.
 */
export const currentView = computed<View>(() => views.find(({ key }) => key === route.value.view) ?? views[0]!)

/** The available views, and the current one. */
import { computed } from '@preact/signals'
import { route } from '../lib/shell/router.ts'
import { enabledPaths, status } from '../lib/instance/status.ts'
import { views, type View } from '../views/index.ts'

/** Views to show in the navigation: those with an enabled plugin, or for the way the instance runs. */
export const shownViews = computed<readonly View[]>(() =>
  views.filter(({ shownWhen }) => shownWhen === undefined || shownWhen(enabledPaths.value ?? [], status.value)),
)

/**
 * The view that the hash names, or the overview for an unknown hash. It may be a view that the navigation does not
 * show: while the plugins are not loaded yet, and when the plugin of the current view is disabled.
 */
export const currentView = computed<View>(() => views.find(({ key }) => key === route.value.view) ?? views[0]!)

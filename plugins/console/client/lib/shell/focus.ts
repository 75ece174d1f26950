/** Returns the focus after a dialog to the control that opened it. */

const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex]'

/** The control that was clicked last, until a key is pressed or something else is clicked. */
let lastClicked: HTMLElement | null = null

/** Keeps track of clicks: some browsers do not focus a clicked button, and a button can lose the focus afterwards. */
export function startFocus(): void {
  document.addEventListener(
    'click',
    ({ target }) => {
      lastClicked = target instanceof Element ? target.closest<HTMLElement>(CONTROLS) : null
    },
    true,
  )
  document.addEventListener(
    'keydown',
    () => {
      lastClicked = null
    },
    true,
  )
}

/** The control that was clicked, otherwise the focused one; null if there is none. */
export function controlInUse(): HTMLElement | null {
  const { activeElement } = document
  return lastClicked ?? (activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : null)
}

/** Focuses the control, or the main part of the page if the control is gone or disabled. */
export function returnFocus(control: HTMLElement | null): void {
  if (control === null) return
  for (const element of [control, document.getElementById('main')]) {
    element?.focus({ preventScroll: true })
    if (element !== null && document.activeElement === element) return
  }
}

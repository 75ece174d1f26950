/** The colors of the login page have enough contrast, in light and dark. */
import t from 'tap'
import { STYLE } from '../../../plugins/identity/pages/style.ts'

type Palette = Record<string, string>

/** The custom properties of each palette of the style sheet, light first. */
const palettes = [...STYLE.matchAll(/:root \{([^}]*)\}/g)].map(
  ([, block]) =>
    Object.fromEntries(
      [...block!.matchAll(/--([\w-]+): (#[\da-f]+);/g)].map(([, name, color]) => [name!, color!]),
    ) as Palette,
)

/** Relative luminance (WCAG 2.2). */
function luminance(color: string): number {
  const hex = color.length === 4 ? color.slice(1).replace(/./g, '$&$&') : color.slice(1)
  const [red, green, blue] = [0, 2, 4].map(at => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((one, other) => one - other) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

t.test('text has a contrast of 4.5, borders and focus rings of 3, in both palettes [IDP-47]', async t => {
  t.equal(palettes.length, 2)
  const rows: [on: string, behind: string, least: number][] = [
    ['text', 'card', 4.5],
    ['text', 'field', 4.5],
    ['text', 'page', 4.5],
    ['soft', 'card', 4.5],
    ['alert', 'alert-back', 4.5],
    ['accent-text', 'accent', 4.5],
    ['accent-text', 'accent-over', 4.5],
    ['edge', 'card', 3],
    ['edge', 'field', 3],
    ['accent', 'card', 3],
  ]
  for (const [index, palette] of palettes.entries()) {
    for (const [on, behind, least] of rows)
      t.ok(contrast(palette[on]!, palette[behind]!) >= least, `${index === 0 ? 'light' : 'dark'}: ${on} on ${behind}`)
  }
})

/** Values with percentages, as fortio reads them: `503:20,404:5`. */

/** What was chosen. `none`: no entry; `unreadable`: not such a list. */
export type Choice = { value: string } | 'none' | 'unreadable'

const MAX_ENTRIES = 100

/** One value, or one of a list by chance; `none` for the rest of the 100 percent. */
export function chooseByPercentage(text: string): Choice {
  if (text === '') return 'none'
  const parts = text.split(',', MAX_ENTRIES + 1)
  if (parts.length > MAX_ENTRIES) return 'unreadable'
  if (parts.length === 1 && !text.includes(':')) return { value: text }
  const entries: { value: string; until: number }[] = []
  let total = 0
  for (const part of parts) {
    const [value = '', percent = '', ...rest] = part.split(':')
    const share = percentage(percent)
    if (rest.length > 0 || share === null) return 'unreadable'
    total += share
    if (Math.round(total * 10_000) / 10_000 > 100) return 'unreadable'
    entries.push({ value, until: total })
  }
  const drawn = Math.random() * 100
  return entries.find(({ until }) => drawn < until) ?? 'none'
}

/** Whether an event with a chance happens: `true`, or a percentage. */
export function happens(text: string): boolean {
  if (text === '') return false
  if (text.toLowerCase() === 'true') return true
  const share = percentage(text)
  return share !== null && Math.random() * 100 < share
}

function percentage(text: string): number | null {
  const plain = text.replace(/%$/, '')
  if (!/^\d{1,3}(?:\.\d{1,10})?$/.test(plain)) return null
  return Number(plain) <= 100 ? Number(plain) : null
}

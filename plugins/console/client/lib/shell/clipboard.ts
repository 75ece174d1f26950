/** Copies text to the clipboard and saves files. */
import { announce } from './announce.ts'

/** Copies text and announces it to screen readers; false if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  const isCopied = await writeClipboard(text)
  announce(isCopied ? 'Copied' : 'The browser blocked access to the clipboard')
  return isCopied
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Fallback for plain HTTP: `navigator.clipboard` exists only in secure contexts. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'off-screen'
  const focused = document.activeElement
  // Everything outside a modal dialog is inert.
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

/** Downloads a file. */
export function saveFile(name: string, mediaType: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type: mediaType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

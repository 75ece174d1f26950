/** Buttons, including the copy button. */
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from '../lib/shell/clipboard.ts'
import { Icon, type IconName } from './icon.tsx'

export interface ButtonProps
  extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'class' | 'disabled' | 'type'> {
  /** `primary`: the main action; `danger`: deletes something; `quiet`: without a border. */
  kind?: 'primary' | 'danger' | 'quiet'
  icon?: IconName
  /** Shows only the icon; the children are the accessible name. */
  iconOnly?: boolean
  /** The action is running: shows a spinner and ignores clicks. The button keeps the focus, unlike a disabled one. */
  busy?: boolean
  disabled?: boolean
  type?: 'button' | 'submit'
  small?: boolean
  class?: string
  children?: ComponentChildren
}

export function Button({
  kind,
  icon,
  iconOnly,
  busy,
  small,
  disabled,
  type = 'button',
  onClick,
  children,
  class: extra,
  ...rest
}: ButtonProps) {
  const classes = [
    'button',
    kind ?? '',
    iconOnly ? 'icon-only' : '',
    small ? 'small' : '',
    busy ? 'busy' : '',
    extra ?? '',
  ]
    .filter(Boolean)
    .join(' ')
  const name = iconOnly && typeof children === 'string' ? children : undefined
  return (
    <button
      {...rest}
      type={type}
      class={classes}
      disabled={disabled}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? event => event.preventDefault() : onClick}
      title={rest.title ?? name}
    >
      {icon && <Icon name={icon} />}
      {iconOnly ? <span class="off-screen">{children}</span> : children}
    </button>
  )
}

export interface CopyButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** The text, or a function that returns it on click. */
  text: string | (() => string | Promise<string>)
}

/** Copies text, and shows the outcome for a moment. */
export function CopyButton({ text, children = 'Copy', icon = 'copy', ...rest }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null)
  async function copy(): Promise<void> {
    setOutcome((await copyText(typeof text === 'string' ? text : await text())) ? 'copied' : 'failed')
    setTimeout(() => setOutcome(null), 1500)
  }
  return (
    <Button
      {...rest}
      icon={outcome === 'copied' ? 'check' : outcome === 'failed' ? 'warning' : icon}
      onClick={() => void copy()}
    >
      {children}
    </Button>
  )
}

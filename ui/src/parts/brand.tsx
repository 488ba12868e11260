// The sign of the house.
export function Brand({ size = 22 }: { readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M3 20V10l9-6 9 6v10z" />
      <path d="M7 20v-6h10v6M7 17h10" />
    </svg>
  )
}

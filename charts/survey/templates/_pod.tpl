{{/* Pod security context for "restricted". Argument: (dict "user" 10001); without a user the cluster assigns one, as OpenShift does. */}}
{{- define "survey.podSecurity" -}}
runAsNonRoot: true
{{- with .user }}
runAsUser: {{ int . }}
runAsGroup: {{ int . }}
fsGroup: {{ int . }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Container security context for "restricted", with a read-only root file system. */}}
{{- define "survey.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/*
Resources of a container. The memory limit equals the request, so that the node has reserved all memory
of the pod. There is no CPU limit by default, because throttling would block the event loop. The
ephemeral storage holds /tmp and logs.
*/}}
{{- define "survey.resources" -}}
requests:
  cpu: {{ .cpu | quote }}
  memory: {{ .memory | quote }}
  ephemeral-storage: 128Mi
limits:
  memory: {{ .memory | quote }}
  ephemeral-storage: 128Mi
  {{- with .cpuLimit }}
  cpu: {{ . | quote }}
  {{- end }}
{{- end -}}

{{/*
Common part of all pod specs.
Argument: (dict "root" $ "serviceAccount" name "user" uid "graceSeconds" n "pod" values).
*/}}
{{- define "survey.podBase" -}}
serviceAccountName: {{ .serviceAccount }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ int .graceSeconds }}
securityContext:
  {{- include "survey.podSecurity" . | nindent 2 }}
{{- with .root.Values.global.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .pod }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Labels and annotations of a pod. Argument: (dict "root" $ "component" … "pod" values ["annotations" dict]). */}}
{{- define "survey.podMetadata" -}}
labels:
  {{- include "survey.labels" (merge (dict "labels" .pod.podLabels) .) | nindent 2 }}
{{- with merge (default dict .annotations) .pod.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
Pod values of a component that is not a service, as JSON: its own keys over the defaults. Objects are merged, lists replaced.
Argument: (dict "defaults" values "own" values).
*/}}
{{- define "survey.podValues" -}}
{{- $keys := list "priorityClassName" "nodeSelector" "tolerations" "affinity" "hostAliases" "podAnnotations" "podLabels" "extraEnv" "extraEnvFrom" "extraVolumes" "extraVolumeMounts" -}}
{{- $pod := dict -}}
{{- range $key := $keys -}}{{- $pod = merge $pod (deepCopy (dict $key (index $.defaults $key))) -}}{{- end -}}
{{- range $key, $own := .own -}}{{- if has $key $keys -}}{{- $pod = mergeOverwrite $pod (deepCopy (dict $key $own)) -}}{{- end -}}{{- end -}}
{{- toJson $pod -}}
{{- end -}}

{{/* The end of a container: (dict ["pod" values] "resources" dict "mounts" YAML). */}}
{{- define "survey.containerEnd" -}}
{{- with (default dict .pod).extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
resources:
  {{- include "survey.resources" .resources | nindent 2 }}
securityContext:
  {{- include "survey.containerSecurity" . | nindent 2 }}
volumeMounts:
  {{- .mounts | nindent 2 }}
{{- end -}}

{{/* Items that values append to a list of a template: (dict "pod" values "key" "extraEnvFrom"). */}}
{{- define "survey.extra" -}}
{{- with index .pod .key }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/*
A list in which items of values replace items of the template with the same name or mountPath: the API
server rejects both. Argument: (dict "items" YAML of the template "pod" values "key" "extraEnv" ["by" "mountPath"]).
*/}}
{{- define "survey.replaced" -}}
{{- $by := default "name" .by -}}
{{- $own := index .pod .key | default list -}}
{{- $names := list -}}
{{- range $own -}}
{{- if has (index . $by) $names }}{{ fail (printf "%s has two items with the %s %s: remove one" $.key $by (index . $by)) }}{{ end -}}
{{- $names = append $names (index . $by) -}}
{{- end -}}
{{- $items := list -}}
{{- range .items | fromYamlArray }}{{- if not (has (index . $by) $names) }}{{- $items = append $items . -}}{{- end -}}{{- end -}}
{{- with concat $items $own }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* Service account without permissions. Argument: (dict "root" $ "component" … "name" … ["annotations" …]). */}}
{{- define "survey.serviceAccount" -}}
{{ include "survey.head" (merge (dict "apiVersion" "v1" "kind" "ServiceAccount") .) }}
automountServiceAccountToken: false
{{- end -}}

{{/*
A topology spread constraint. nodeTaintsPolicy excludes cordoned and lost nodes, which would otherwise
count as empty domains and block scheduling on other nodes.
Argument: (dict "root" $ "component" … "topologyKey" … "whenUnsatisfiable" … ["perVersion" bool]).
*/}}
{{- define "survey.spread" -}}
- maxSkew: 1
  topologyKey: {{ .topologyKey }}
  whenUnsatisfiable: {{ .whenUnsatisfiable }}
  nodeTaintsPolicy: Honor
  labelSelector:
    matchLabels:
      {{- include "survey.selector" . | nindent 6 }}
  {{- if .perVersion }}
  matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end -}}

{{/* Converts 512Mi or 2Gi to a number of mebibytes. */}}
{{- define "survey.mebibytes" -}}
{{- if hasSuffix "Gi" . }}{{ mul (trimSuffix "Gi" . | int) 1024 }}{{ else }}{{ trimSuffix "Mi" . | int }}{{ end -}}
{{- end -}}

{{/* Probes of a service: liveness checks the event loop, readiness the stores without which it cannot serve. */}}
{{- define "survey.probes" -}}
startupProbe:
  httpGet: { path: /startupz, port: metrics }
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 2
{{- end -}}

{{/* Names of the services that are deployed, as a JSON list under "names". */}}
{{- define "survey.enabledComponents" -}}
{{- $names := list -}}
{{- range $name, $facts := include "survey.components" . | fromYaml -}}
{{- $values := include "survey.component" (dict "root" $ "name" $name) | fromYaml -}}
{{- if $values.enabled }}{{- $names = append $names $name -}}{{- end -}}
{{- end -}}
{{- toJson (dict "names" (sortAlpha $names)) -}}
{{- end -}}

{{/* Values of a service merged over the defaults, with its component properties under "facts": (dict "root" $ "name" "gateway"). */}}
{{- define "survey.component" -}}
{{- $own := index .root.Values.components .name | default dict -}}
{{- $values := mustMergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own) -}}
{{- $_ := set $values "facts" (index (include "survey.components" . | fromYaml) .name) -}}
{{- toJson $values -}}
{{- end -}}

{{/* Name of all objects of one service. */}}
{{- define "survey.componentName" -}}
{{- include "survey.name" (dict "root" .root "suffix" .name) -}}
{{- end -}}

{{/* Cluster-internal host name of a service: (dict "root" $ "name" "export"). */}}
{{- define "survey.host" -}}
{{- printf "%s.%s.svc.%s" (include "survey.componentName" .) .root.Release.Namespace .root.Values.clusterDomain -}}
{{- end -}}

{{/* Host name of a bundled store: (dict "root" $ "store" "nats"). */}}
{{- define "survey.storeHost" -}}
{{- if .root.Values.bundled.enabled -}}
{{- printf "%s.%s.svc.%s" (include "survey.storeName" (dict "root" .root "suffix" .store)) .root.Release.Namespace .root.Values.clusterDomain -}}
{{- else -}}
{{- index .root.Values .store "host" -}}
{{- end -}}
{{- end -}}

{{/* Maximum number of pods of a service. */}}
{{- define "survey.maxReplicas" -}}
{{- if eq .autoscaling.type "none" }}{{ int .replicas }}{{ else }}{{ int .autoscaling.maxReplicas }}{{ end -}}
{{- end -}}

{{- define "survey.minReplicas" -}}
{{- if eq .autoscaling.type "none" }}{{ int .replicas }}{{ else }}{{ int .autoscaling.minReplicas }}{{ end -}}
{{- end -}}

{{/* Image of a service, or of the release without "values": (dict "root" $ ["values" component values]). */}}
{{- define "survey.image" -}}
{{- $image := deepCopy .root.Values.image -}}
{{- with (default dict .values).image -}}
{{- if .tag }}{{- $image = merge (dict "tag" .tag) (omit $image "digest" "tag") -}}{{- end -}}
{{- end -}}
{{- if not (or $image.tag $image.digest) }}{{- $image = merge (dict "tag" .root.Chart.AppVersion) (omit $image "tag") -}}{{- end -}}
{{- include "survey.imageReference" (dict "root" .root "image" $image) -}}
{{- end -}}

{{/*
Returns "true" when the cluster has the definitions of another project, and fails otherwise.
Argument: (dict "root" $ "project" "keda" "asked" name of the value that needs it).
*/}}
{{- define "survey.requireApi" -}}
{{- $project := index (include "survey.projects" . | fromYaml) .project -}}
{{- if or .root.Values.crds.assume (.root.Capabilities.APIVersions.Has $project.api) -}}
true
{{- else -}}
{{- fail (printf "%s needs %s, and the cluster does not have %s: install it, or %s. Without a cluster, as with helm template, add --api-versions %s or set crds.assume=true" .asked $project.name $project.api $project.instead $project.api) -}}
{{- end -}}
{{- end -}}

{{- define "survey.projects" -}}
certManager: { api: cert-manager.io/v1, name: cert-manager, instead: set tls.certManager.enabled=false and name secrets in tls.existingSecrets }
externalSecrets: { api: external-secrets.io/v1, name: the External Secrets Operator, instead: set externalSecrets.enabled=false and create the secrets yourself }
gatewayApi: { api: gateway.networking.k8s.io/v1, name: the Gateway API, instead: use ingress.enabled }
keda: { api: keda.sh/v1alpha1, name: KEDA, instead: use hpa or none }
prometheus: { api: monitoring.coreos.com/v1, name: the Prometheus operator, instead: set it to false }
{{- end -}}

{{/*
Number of pods of a Deployment; empty when the chart does not set it. With an autoscaler it is the
current number within the limits, because Kubernetes would otherwise use 1 until the autoscaler acts.
Argument: (dict "root" $ "name" … "values" component values).
*/}}
{{- define "survey.replicas" -}}
{{- $scaling := .values.autoscaling -}}
{{- if eq $scaling.type "none" -}}
{{- int .values.replicas -}}
{{- else if $scaling.setReplicas -}}
{{- $current := lookup "apps/v1" "Deployment" .root.Release.Namespace (include "survey.componentName" .) -}}
{{- max (int $scaling.minReplicas) (min (dig "spec" "replicas" 0 $current | int) (int $scaling.maxReplicas)) -}}
{{- end -}}
{{- end -}}

{{/* hook, job or none. */}}
{{- define "survey.migrationMode" -}}
{{- if ne .Values.migrations.mode "auto" -}}
{{- .Values.migrations.mode -}}
{{- else if .Values.bundled.enabled -}}
job
{{- else -}}
hook
{{- end -}}
{{- end -}}

{{/* host:port of NATS's monitoring, if it is known: the headless service, because KEDA queries each server. */}}
{{- define "survey.monitoringEndpoint" -}}
{{- if .Values.nats.monitoringEndpoint -}}
{{- .Values.nats.monitoringEndpoint -}}
{{- else if .Values.bundled.enabled -}}
{{- include "survey.storeHost" (dict "root" . "store" "nats") }}:8222
{{- end -}}
{{- end -}}

{{/* Probe ports of the enabled services, separated by commas. */}}
{{- define "survey.metricsAddresses" -}}
{{- $addresses := list -}}
{{- range $name := (include "survey.enabledComponents" . | fromJson).names -}}
{{- $addresses = append $addresses (printf "%s:9090" (include "survey.host" (dict "root" $ "name" $name))) -}}
{{- end -}}
{{- join "," $addresses -}}
{{- end -}}

{{/*
An image reference; a digest overrides a tag. Argument: (dict "root" $ "image" (dict "repository" … "tag" … "digest" …)).
*/}}
{{- define "survey.imageReference" -}}
{{- $repository := .image.repository -}}
{{- with .root.Values.global.imageRegistry }}{{- $repository = printf "%s/%s" (trimSuffix "/" .) $repository -}}{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository .image.tag -}}
{{- end -}}
{{- end -}}
